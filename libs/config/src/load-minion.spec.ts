import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Host, keepMinionId, loadMinionConfig } from './load-minion.js';
import { problemSentence } from './problem.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'natrium-config-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const HOST: Host = {
  hostname: 'web1',
  hosts: '127.0.0.1 localhost localhost.localdomain\n10.0.0.1 web1.example.com web1 # me\n',
};
const SHA = Array(32).fill('AB').join(':');

function load(text: string, host = HOST) {
  writeFileSync(join(dir, 'minion'), text);
  const loaded = loadMinionConfig(dir, host);
  if (!loaded.ok) throw new Error(loaded.error.map(problemSentence).join('\n'));
  return loaded.value.config;
}

function problem(text: string): string {
  writeFileSync(join(dir, 'minion'), text);
  const loaded = loadMinionConfig(dir, HOST);
  return loaded.ok ? '' : loaded.error.map(problemSentence).join('\n').replaceAll(dir, 'DIR');
}

describe('the name of a minion', () => {
  it('is the id of the file, then the one of its first start, then the full host name', () => {
    expect(load('').id).toBe('web1.example.com');
    expect(load('', { hostname: 'a.b', hosts: '' }).id).toBe('a.b');
    expect(load('', { hostname: 'alone', hosts: '127.0.0.1 localhost.localdomain alone' }).id).toBe('alone');
    writeFileSync(join(dir, 'minion_id'), 'kept\n');
    expect(load('').id).toBe('kept');
    expect(load('id: given\n').id).toBe('given');
    expect(load('id: 12\n').id).toBe('12');
    expect(load('id: 1.0\n').id).toBe('1.0');
    expect(load('id: ""\n').id).toBe('kept');
  });

  it('that is only the host’s outlives another name of the host, beside the key; one that was given is kept nowhere', () => {
    const pki = `pki_dir: ${dir}\n`;
    keepMinionId(load(`${pki}id: given\n`), HOST);
    expect(readdirSync(dir)).toEqual(['minion']);
    keepMinionId(load(pki), HOST);
    const renamed = { hostname: 'web2', hosts: '' };
    expect(load(pki, renamed).id).toBe('web1.example.com');
    keepMinionId(load(pki, renamed), renamed);
    expect(load(pki, renamed).id).toBe('web1.example.com');
    expect(load(`${pki}id: given\n`, renamed).id).toBe('given');
  });

  it('is refused when it holds a slash or a blank', () => {
    expect(problem('user: root\nid: a/b\n')).toBe(
      'DIR/minion:2: id: this is no name of a minion. Mend: set id to 1 to 255 characters that can be seen, without slashes.',
    );
  });
});

describe('a name that Salt would change', () => {
  const said = (text: string, host = HOST) => {
    writeFileSync(join(dir, 'minion'), text);
    const loaded = loadMinionConfig(dir, host);
    if (!loaded.ok) throw new Error(loaded.error.map(problemSentence).join('\n'));
    return loaded.value.reports
      .filter((report) => !report.endsWith('does not use'))
      .map((report) => report.replace(dir, 'DIR'));
  };
  const ALONE: Host = { hostname: 'Web1', hosts: '' };

  it.each([
    ['append_domain: example.com', ALONE, 'append_domain', 'Web1.example.com', 'Web1'],
    ['id: db\nappend_domain: example.com', ALONE, 'append_domain', 'db.example.com', 'db'],
    ['minion_id_lowercase: True', ALONE, 'minion_id_lowercase', 'web1', 'Web1'],
    ['minion_id_remove_domain: True', HOST, 'minion_id_remove_domain', 'web1', 'web1.example.com'],
    ['minion_id_remove_domain: EXAMPLE.com', HOST, 'minion_id_remove_domain', 'web1', 'web1.example.com'],
    ['id_function: grains.get', ALONE, 'id_function', 'what that function says', 'Web1'],
  ] as const)('by %j is told, with the name that counts here', (text, host, key, name, id) => {
    const line = text.split('\n').length;
    expect(said(`${text}\n`, host)).toEqual([
      `DIR/minion:${String(line)}: by ${key} Salt calls this minion ${name}, and here it is ${id}: set id to the name that it shall have`,
    ]);
  });

  it.each([
    'append_domain: example.com\nminion_id_lowercase: True\nminion_id_remove_domain: False\n',
    'id: Given.example.com\nminion_id_lowercase: True\nminion_id_remove_domain: True\nid_function: grains.get\n',
    'minion_id_remove_domain: other.org\n',
    'id_function: {}\n',
  ])('is not told of where it stays as it is: %j', (text) => {
    expect(said(text)).toEqual([]);
  });
});

describe('the broker of a minion', () => {
  it('is at nats, or else where the hosts of master say, or else on this host', () => {
    expect(load('').nats).toEqual(['nats://127.0.0.1:4222']);
    expect(load('master: [m1, "m2:4333", "fe80::1", "[::1]:4334"]\n').nats).toEqual([
      'nats://m1:4222',
      'nats://m2:4333',
      'nats://[fe80::1]:4222',
      'nats://[::1]:4334',
    ]);
    expect(load('master: m1\nnats: tls://b\n').nats).toEqual(['tls://b:4222']);
  });

  it("is not looked for on Salt's ports", () => {
    expect(load('master: m1:4506\n').nats).toEqual(['nats://m1:4222']);
  });

  it('is refused when the address is none', () => {
    expect(problem('master:\n  - m1\n  - m 2\n')).toBe(
      'DIR/minion:3: master.1: this is no address of a broker. Mend: write it as nats://host:4222.',
    );
  });
});

describe('master_finger', () => {
  it('is 32 pairs of hex digits, kept in lower case', () => {
    expect(load(`master_finger: '${SHA}'\n`).master_finger).toBe(SHA.toLowerCase());
    expect(load("master_finger: ''\n").master_finger).toBe('');
  });

  it('is refused in the form of old RSA keys, with the command that prints the new one', () => {
    const old = problem(`master_finger: 'ba:30:65:2a:d6:9e:20:4f:d8:b2:f3:a7:d4:65:11:13'\n`);
    expect(old).toContain('DIR/minion:1: master_finger: this is an MD5 fingerprint');
    expect(old).toContain('natriumctl fingerprint');
    expect(problem('master_finger: nonsense\n')).toContain('32 pairs of hex digits');
  });
});

describe('keys of a minion', () => {
  it('of the master file are named as such, and those of Salt are accepted', () => {
    expect(problem('publish_timeout: 3\n')).toContain('this is a key of the master file');
    expect(
      load('acceptance_wait_time: 10\nmine_functions:\n  network.ip_addrs: []\ngrains: {role: web}\n'),
    ).toMatchObject({
      mine_functions: { 'network.ip_addrs': [] },
      grains: { role: 'web' },
    });
  });
});

describe('keys of Salt', () => {
  it('are also those of its sample file and of its modules that have no default', () => {
    const sample = "win_repo_cachefile: 'salt://win/repo/winrepo.p'\nuse_superseded: [module.run]\n";
    expect(load(`${sample}x509_signing_policies: {www: [{minions: www}]}\n`).id).toBe('web1.example.com');
  });
});

describe('sudo_user, as whom Salt runs each job', () => {
  it('is a problem: here the job would run as the agent, by custom as root', () => {
    expect(problem('user: root\nsudo_user: saltdev\n')).toBe(
      'DIR/minion:2: sudo_user: in Salt this restricts jobs to what that account may do, and here it would not. ' +
        'Mend: have the unit start the agent as that account (User=), set user to it, and remove this key.',
    );
  });

  it.each(["''", 'root', 'False'])('is set aside as %s, which takes nothing from a job', (account) => {
    expect(load(`sudo_user: ${account}\n`).id).toBe('web1.example.com');
  });
});

describe('module_executors, through which Salt runs each job', () => {
  it('is a problem: here the job would run where the agent does, and as it', () => {
    expect(problem('module_executors: [docker]\n')).toBe(
      'DIR/minion:1: module_executors: in Salt jobs run through these executors, as in a container or as another account, ' +
        'and here they would not. Mend: start the agent where, and as the account, that they name, and remove this key.',
    );
  });

  it.each(['[direct_call]', '[splay, direct_call]', 'direct_call'])(
    'is set aside as %s, which only runs it',
    (executors) => {
      expect(load(`module_executors: ${executors}\nsplaytime: 5\n`).id).toBe('web1.example.com');
    },
  );
});

describe('master_type', () => {
  it('is a problem as func: master names a function then', () => {
    expect(problem('master: mod.fun\nmaster_type: func\n')).toBe(
      'DIR/minion:2: master_type: in Salt master names a function then that says the hosts, and here it names a host. ' +
        'Mend: write the hosts, and remove this key.',
    );
  });

  it.each(['str', 'failover', 'distributed', 'disable'])('is set aside as %s', (type) => {
    expect(load(`master: [a, b]\nmaster_type: ${type}\n`).nats).toHaveLength(2);
  });
});

it.each(['[{roles: [web]}]', 'web'])(
  'grains that are no mapping, as %s, are a problem: they would be none',
  (grains) => {
    expect(problem(`grains: ${grains}\n`)).toMatch(
      /^DIR\/minion:1: grains: .*, not a mapping\. Mend: grains takes a mapping/,
    );
  },
);

describe('returners', () => {
  it('posts to https, or to this host', () => {
    const config = load('webhook_url: https://hooks.example.com/x\nmulti_returner: [local_file, webhook]\n');
    expect(config).toMatchObject({ multi_returner: ['local_file', 'webhook'] });
    expect(load('webhook_url: http://127.0.0.1:8080/x\n').webhook_url).toBe('http://127.0.0.1:8080/x');
    expect(problem('webhook_url: http://hooks.example.com/x\n')).toContain('would leave this host in clear');
  });

  it.each(['multi', 'master_bus'])('multi_returner does not take %s', (name) => {
    expect(problem(`multi_returner: [local_file, ${name}]\n`)).toContain(`${name} cannot be one of several`);
  });
});

describe('the collector of traces', () => {
  it('is none by default; one is an address, and each trace is sent where no part is named', () => {
    expect(load('')).toMatchObject({ trace_endpoint: '', trace_ratio: 1 });
    const given = load('trace_endpoint: https://traces.example.com:4318/otlp\ntrace_ratio: 0.25\n');
    expect(given).toMatchObject({ trace_endpoint: 'https://traces.example.com:4318/otlp', trace_ratio: 0.25 });
  });

  it.each(['127.0.0.1:4318', 'grpc://host:4317', 'http://me:secret@host', 'http://host/?key=secret', 'http://'])(
    'is refused as %s, and nothing of it is told',
    (address) => {
      const sentence = problem(`trace_endpoint: '${address}'\n`);
      expect(sentence).toContain('trace_endpoint takes http://HOST:PORT');
      expect(sentence).not.toContain('secret');
    },
  );

  it.each(['-0.1', '1.5', 'all'])('sends no part of %s', (ratio) => {
    expect(problem(`trace_ratio: ${ratio}\n`)).toContain('trace_ratio takes a number, 0 to 1');
  });
});
