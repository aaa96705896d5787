import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { loadMasterConfig } from './load-master.js';
import { type Files, MasterFolder } from './master-folder.spec-support.js';
import { problemSentence } from './problem.js';

let master: MasterFolder;
let dir: string;
beforeEach(() => {
  master = new MasterFolder();
  dir = master.dir;
});
afterEach(() => {
  master.remove();
});

const write = (files: Files) => {
  master.write(files);
};
const load = (files: Files) => master.load(files);
const problems = (files: Files) => master.problems(files);

describe('the files of the examples', () => {
  it('reads the peer and peer_run of the README', () => {
    const { config, reports } = load({
      master: `peer:
  .*example.com:
    - test.*
    - ps.*
    - pkg.*
  .*foo.org:
    - test.*
    - ps.*
    - pkg.*

peer_run:
  .*example.com:
    - manage.*
    - jobs.*
`,
    });
    expect(config.peer).toEqual({
      '.*example.com': ['test.*', 'ps.*', 'pkg.*'],
      '.*foo.org': ['test.*', 'ps.*', 'pkg.*'],
    });
    expect(config.peer_run).toEqual({ '.*example.com': ['manage.*', 'jobs.*'] });
    expect(reports).toEqual([]);
  });

  it('reads the wide open forms', () => {
    expect(load({ master: 'peer:\n  .*:\n    - .*\n' }).config.peer).toEqual({ '.*': ['.*'] });
    expect(load({ master: 'peer_run:\n  .*:\n    - .*\n' }).config.peer_run).toEqual({ '.*': ['.*'] });
  });

  it('permits nothing without a file, and with an empty one', () => {
    expect(load({}).config).toMatchObject({
      peer: {},
      peer_run: {},
      publisher_acl: {},
      external_auth: {},
      auto_accept: false,
    });
    expect(load({ master: '# all commented out\npeer:\n#  .*: [.*]\n' }).config.peer).toEqual({});
  });

  it("accepts the keys of Salt's sample file and reports those that have no use here", () => {
    const { config, reports } = load({
      master: `interface: 0.0.0.0
ipv6: False
publish_port: 4505
user: root
ret_port: 4506
pidfile: /var/run/salt-master.pid
root_dir: /
conf_file: /etc/salt/master
keysize: 4096
keep_jobs: 24
timeout: 5
loop_interval: 60
show_timeout: True
color: True
output: nested
worker_threads: 5
max_open_files: 100000
open_mode: False
auto_accept: False
publisher_acl:
  larry:
    - test.ping
    - network.*
publisher_acl_blacklist:
  users:
    - root
    - '^(?!sudo_).*$'   #  all non sudo users
  modules:
    - cmd
external_auth:
  pam:
    fred:
      - test.*
token_expire: 43200
sudo_acl: True
client_acl_verify: True
file_roots:
  base:
    - /srv/salt
hash_type: sha256
pillar_roots:
  base:
    - /srv/pillar
nodegroups:
  group1: 'L@foo.domain.com,bar.domain.com,baz.domain.com and bl*.domain.com'
  group2: 'G@os:Debian and foo.domain.com'
auth.ldap.server: localhost
log_level: warning
log_fmt_console: '%(colorlevel)s %(colormsg)s'
rest_cherrypy:
  port: 8000
`,
    });
    expect(config).toMatchObject({
      sudo_acl: true,
      publisher_acl: { larry: ['test.ping', 'network.*'] },
      publisher_acl_blacklist: { users: ['root', '^(?!sudo_).*$'], modules: ['cmd'] },
      pillar_roots: { base: ['/srv/pillar'] },
      auth_ldap: { server: 'localhost' },
      pki_dir: join(dir, 'pki'),
    });
    expect(reports.map((report) => /: (\S+) is/.exec(report)?.[1])).toEqual([
      'interface',
      'ipv6',
      'publish_port',
      'ret_port',
      'pidfile',
      'conf_file',
      'keysize',
      'loop_interval',
      'color',
      'output',
      'worker_threads',
      'max_open_files',
      'file_roots',
      'hash_type',
      'log_fmt_console',
    ]);
  });
});

describe('keys of Salt', () => {
  it('are also those of its sample file that have no default, and the settings that ext_pillar and master_tops share', () => {
    const sample = 'salt_event_pub_hwm: 20000\nevent_publisher_pub_hwm: 10000\nexternal_nodes: None\n';
    const shared = 'reclass: &reclass {storage_type: yaml_fs}\next_pillar: [{reclass: *reclass}]\nazurefs: []\n';
    const { unused } = load({ master: sample + shared });
    expect(unused).toEqual([
      'salt_event_pub_hwm',
      'event_publisher_pub_hwm',
      'external_nodes',
      'reclass',
      'ext_pillar',
      'azurefs',
    ]);
  });

  it('are those of its last fixes for security and of its HTTP client, too', () => {
    const fixes = 'minimum_auth_version: 3\nrequest_server_ttl: 0\nkeys.cache_driver: localfs_key\n';
    const { unused } = load({ master: `${fixes}backend: requests\nca_bundle: /etc/ssl/ca.pem\nverify_ssl: True\n` });
    expect(unused).toEqual([
      'minimum_auth_version',
      'request_server_ttl',
      'keys.cache_driver',
      'backend',
      'ca_bundle',
      'verify_ssl',
    ]);
  });

  it('of a minion have no effect here, as in Salt: what they restrict there is not asked for', () => {
    expect(load({ master: 'sudo_user: saltdev\n' }).unused).toEqual(['sudo_user']);
  });
});

describe('how states and batches are shown', () => {
  const shown = 'output_indent: 2\nstate_tabular: True\nstate_output_exclude: False\nstate_output_terse: False\n';

  it('are keys of Salt: those that have no use here are set aside', () => {
    const { config, reports } = load({ master: `${shown}batch_safe_limit: 100\nbatch_safe_size: 10\n` });
    expect(config).toMatchObject({ batch_safe_limit: 100, batch_safe_size: '10' });
    expect(reports.map((report) => /: (\S+) is/.exec(report)?.[1])).toEqual([
      'output_indent',
      'state_tabular',
      'state_output_exclude',
      'state_output_terse',
    ]);
  });

  it.each(['8', '"25%"', '"%25"', '2.5%', '1'])('batch_safe_size may be %s', (size) => {
    expect(problems({ master: `batch_safe_size: ${size}\n` })).toEqual([]);
  });

  it.each(['0', '0%', 'many', '1.5', '"%5%"', '""'])('batch_safe_size is not %s', (size) => {
    expect(problems({ master: `batch_safe_size: ${size}\n` })).toEqual([
      expect.stringContaining('batch_safe_size takes a number as 8, or a share as 25%.'),
    ]);
  });
});

describe('a mistake in the master file', () => {
  it('names file, line, key, reason and mend of a value of the wrong kind', () => {
    expect(problems({ master: 'user: root\ntimeout: soon\n' })).toEqual([
      expect.stringMatching(/^DIR\/master:2: timeout: .*number.*\. Mend: timeout takes seconds, 0\.1 to 86400\.$/),
    ]);
  });

  it.each([
    ['timeout: soon', 'timeout: this is a text, not a number'],
    ['keep_jobs: 1.5', 'keep_jobs: this is a number, not a whole number'],
    ['keep_jobs: 99999', 'keep_jobs: this is more than 8760'],
    ['keep_jobs: 0', 'keep_jobs: this is less than 1'],
    ['max_minions: -1', 'max_minions: this is less than 0'],
    ['auto_accept: 7', 'auto_accept: this is a number, not yes or no'],
    ['nats: {a: 1}', 'nats: this is a mapping, not a text or a list of texts'],
    ['nats: [a, 5]', 'nats: this list is too long, or an item of it is not a text'],
    ['cluster: A.B', 'cluster: this text has characters or a length that are not allowed'],
    ['token_expire: 315360001', 'token_expire: this is more than 315360000'],
    ['log_level: loud', 'log_level: this is none of the values that it takes'],
    [`eauth_acl_module: ${'x'.repeat(65)}`, 'eauth_acl_module: this is longer than 64 characters'],
  ])('says why it does not take %s', (master, reason) => {
    expect(problems({ master })).toEqual([expect.stringContaining(`DIR/master:1: ${reason}. Mend: `)]);
  });

  it('keeps what SaltGUI has in the file, and nothing that only looks like it', () => {
    const { config, reports } = load({
      master: 'saltgui_templates:\n  up: {description: Ping, command: test.ping}\nsaltgui_hide_jobs: [test.ping]\n',
    });
    expect(config.saltgui).toEqual({
      templates: { up: { description: 'Ping', command: 'test.ping' } },
      hide_jobs: ['test.ping'],
    });
    expect(reports).toEqual([]);
    expect(problems({ master: 'saltgui-templates: {}\n' })).toHaveLength(1);
  });

  it('names the new name of a key that Salt renamed, and the file of a key that stands in the wrong one', () => {
    expect(problems({ master: 'client_acl: {}\ntrust_on_first_use: yes\n' })).toEqual([
      'DIR/master:1: client_acl: Salt renamed client_acl to publisher_acl. Mend: write publisher_acl.',
      'DIR/master:2: trust_on_first_use: this is a key of the minion file. Mend: move it there.',
    ]);
  });

  it('refuses open_mode and says what to set instead', () => {
    expect(problems({ master: 'open_mode: True\n' })).toEqual([expect.stringContaining('set auto_accept instead')]);
  });

  it('refuses a key of a rule that YAML does not read as text', () => {
    expect(
      problems({
        master: 'peer:\n  1: [test.*]\npublisher_acl:\n  fred:\n    - web*:\n        - f: {kwargs: {on: x}}\n',
      }),
    ).toEqual([
      'DIR/master:2: peer.1: YAML reads this key as 1, which is not text. Mend: put it in quotes.',
      'DIR/master:6: publisher_acl.fred.0.web*.0.f.kwargs.true: YAML reads this key as true, which is not text. Mend: put it in quotes.',
    ]);
    expect(problems({ master: 'nodegroups: {1: a}\npeer: {"1": [test.*]}\n' })).toEqual([]);
    expect(problems({ master: '_p: &p {"1": [test.*]}\npeer: {<<: *p}\npublisher_acl: *p\n' })).toEqual([]);
  });

  it.each([
    ['_ops: &ops {1001: [test.*]}\npublisher_acl:\n  <<: *ops\n', 'DIR/master:2: publisher_acl.1001'],
    ['_ops: &ops {1001: [test.*]}\npublisher_acl: *ops\n', 'DIR/master:2: publisher_acl.1001'],
    ['_uid: &uid 1001\npublisher_acl:\n  *uid : [test.*]\n', 'DIR/master:3: publisher_acl.1001'],
    ['publisher_acl:\n  !!int "1001": [test.*]\n', 'DIR/master:2: publisher_acl.1001'],
  ])('refuses such a key also where it comes by an alias, a merge or a tag: %j', (master, place) => {
    const reason = 'YAML reads this key as 1001, which is not text. Mend: put it in quotes.';
    expect(problems({ master })).toEqual([`${place}: ${reason}`]);
  });

  it('refuses a key that is there twice, and text that is not YAML, naming the line', () => {
    expect(problems({ master: 'peer: {}\npeer: {}\n' })).toEqual([
      expect.stringMatching(/^DIR\/master:2: the key peer is there twice/),
    ]);
    expect(problems({ master: 'peer: {\n' })).toEqual([expect.stringMatching(/^DIR\/master:\d: /)]);
    expect(problems({ master: '- a\n' })).toEqual([expect.stringContaining('not a mapping')]);
  });

  it('that Salt would fetch from elsewhere is a problem, wherever it counts', () => {
    const found = problems({
      master: [
        'sharedsecret: sdb://vault/secret/salt?key',
        'auth.ldap.bindpw: sdb://vault/bind?pw',
        'rest_cherrypy: {port: 8000, ssl_key: "sdb://keys/api"}',
        'gitfs_password: sdb://vault/git?pw',
      ].join('\n'),
    });
    const fetched = 'Salt would fetch this value (sdb://)';
    expect(found).toEqual([
      expect.stringContaining(`DIR/master:1: sharedsecret: ${fetched}`),
      expect.stringContaining(`DIR/master:2: auth.ldap.bindpw: ${fetched}`),
      expect.stringContaining(`DIR/master:3: rest_cherrypy.ssl_key: ${fetched}`),
    ]);
    expect(found.join('')).not.toContain('vault');
  });

  it('finds all problems in one go, in included files too', () => {
    expect(
      problems({ master: 'timeout: x\n', 'master.d/a.conf': 'frob: 1\n', 'master.d/b.conf': 'keep_jobs: -1\n' }),
    ).toHaveLength(3);
  });

  it.each([
    ['nowhere', 'DIR/nowhere: there is no such folder. Mend: create it, or name another with -c.'],
    ['file', 'DIR/file: this is no folder. Mend: name the folder that the file is in.'],
    ['file/below', 'DIR/file/below: cannot open the folder (ENOTDIR). Mend: let this account pass to it, or name another with -c.'],
    ['loop', 'DIR/loop: cannot open the folder (ELOOP). Mend: let this account pass to it, or name another with -c.'],
  ])('says of the folder %s why it is none', (name, sentence) => {
    write({ file: '' });
    symlinkSync('loop', join(dir, 'loop'));
    const loaded = loadMasterConfig(join(dir, name));
    expect(loaded.ok ? [] : loaded.error.map((one) => problemSentence(one).replaceAll(dir, 'DIR'))).toEqual([sentence]);
  }); // prettier-ignore

  it('says of a folder in the place of a file that it is one', () => {
    mkdirSync(join(dir, 'master'));
    mkdirSync(join(dir, 'master.d', 'old.conf'), { recursive: true });
    expect(problems({})).toEqual([
      'DIR/master: this is a folder, not a file. Mend: put the file in its place.',
      expect.stringMatching(
        /^DIR\/master\.d\/old\.conf: this is a folder, not a file\. Mend: give it a name that no include/,
      ),
    ]);
  });

  it('says of a file that cannot be read why, and what it should be', () => {
    symlinkSync('master', join(dir, 'master'));
    expect(problems({})).toEqual([
      'DIR/master: cannot read the file (ELOOP). Mend: make it a UTF-8 text file that this account may read.',
    ]);
  });

  it('of a folder where the file should be, which holds the file itself, says what was meant', () => {
    mkdirSync(join(dir, 'master'));
    expect(problems({ 'master/master': '' })).toEqual([
      'DIR/master: this is a folder, not a file. Mend: did you mean -c DIR/master?',
    ]);
  });

  it('never repeats an address, which may hold a password', () => {
    for (const more of ['/path', '?tls=true', '#1'])
      expect(problems({ master: `nats: nats://me:secret@host${more}\n` })[0]).toContain(
        'this is no address of a broker',
      );
    const [sentence] = problems({ master: 'nats: http://me:secret@host\n' });
    expect(sentence).toContain('use nats:// or tls://');
    expect(sentence).not.toContain('secret');
  });
});

describe('external_auth.auto', () => {
  const master = 'external_auth:\n  auto:\n    fred:\n      - test.*\n';

  it('stops the start with a sentence, unless a second key says that it is meant', () => {
    expect(problems({ master })).toEqual([
      expect.stringMatching(
        /^DIR\/master:2: external_auth.*auto.*without a password.*eauth_auto_for_development: true/,
      ),
    ]);
    expect(problems({ master: `${master}eauth_auto_for_development: true\n` })).toEqual([]);
    expect(problems({ master: 'eauth_auto_for_development: true\n' })).toEqual([]);
  });
});

describe('the values', () => {
  it('are frozen all the way down', () => {
    const { config } = load({ master: 'peer: {a: [b]}\n' });
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.peer)).toBe(true);
  });

  it('take a token’s life of three years, as clients of Salt ask for', () => {
    expect(load({ master: 'token_expire: 94670856\n' }).config.token_expire).toBe(94_670_856);
  });

  it('resolve relative paths against root_dir, and that against the folder', () => {
    expect(load({ master: 'runner_dirs: mine\nautosign_file: let/x\n' }).config).toMatchObject({
      root_dir: dir,
      pki_dir: join(dir, 'pki'),
      sock_dir: join(dir, 'run'),
      cachedir: join(dir, 'cache'),
      runner_dirs: [join(dir, 'mine')],
      autosign_file: join(dir, 'let/x'),
    });
    expect(load({ master: 'root_dir: sub\nsock_dir: /run/n\n' }).config).toMatchObject({
      pki_dir: join(dir, 'sub/pki'),
      sock_dir: '/run/n',
    });
  });

  it('take yes and on as booleans, 010 as ten and 5.0 as five', () => {
    expect(load({ master: 'auto_accept: yes\nsudo_acl: on\nkeep_jobs: 010\ntimeout: 5.0\n' }).config).toMatchObject({
      auto_accept: true,
      sudo_acl: true,
      keep_jobs: 10,
      keep_jobs_seconds: 36_000,
      timeout: 5,
    });
  });

  it('let keep_jobs_seconds count before keep_jobs', () => {
    expect(load({ master: 'keep_jobs: 1\nkeep_jobs_seconds: 60\n' }).config.keep_jobs_seconds).toBe(60);
  });

  it('complete addresses of the broker', () => {
    expect(load({}).config.nats).toEqual(['nats://127.0.0.1:4222']);
    expect(load({ master: 'nats: [broker, "tls://b:4333"]\nnats_port: 5222\n' }).config.nats).toEqual([
      'nats://broker:5222',
      'tls://b:4333',
    ]);
  });

  it('say which settings have no effect', () => {
    expect(load({ master: 'minion_data_cache: no\neauth_acl_module: ldap\n' }).reports).toEqual([
      expect.stringContaining('minion_data_cache has no effect'),
      expect.stringContaining('eauth_acl_module has no effect'),
    ]);
    expect(load({ master: "minion_data_cache: yes\neauth_acl_module: ''\n" }).reports).toEqual([]);
  });
});

describe('included files', () => {
  it('are read in order of their names, merged into each other, and replace keys of the main file as a whole', () => {
    const { config, reports, locate, folders } = load({
      master: 'peer:\n  main: [a]\nnodegroups:\n  keep: x\n',
      'master.d/20.conf': 'peer:\n  web.*:\n    - two\n    - one\n',
      'master.d/10.conf': '# first\npeer:\n  web.*:\n    - one\n  db.*: [x]\n',
      'master.d/.hidden.conf': 'peer: {evil: [.*]}\n',
      'master.d/notes.txt': 'peer: {evil: [.*]}\n',
    });
    expect(config.peer).toEqual({ 'web.*': ['one', 'two'], 'db.*': ['x'] });
    expect(config.nodegroups).toEqual({ keep: 'x' });
    expect(folders).toEqual([{ path: dir }, { path: join(dir, 'master.d') }]);
    expect(reports).toEqual([`peer of ${dir}/master:1 is replaced as a whole by ${dir}/master.d/10.conf:2`]);
    expect(locate(['peer', 'web.*', 1])).toEqual({ file: join(dir, 'master.d/20.conf'), line: 3 });
    expect(locate(['peer', 'web.*', 0])).toEqual({ file: join(dir, 'master.d/10.conf'), line: 4 });
    expect(locate(['peer', 'db.*', 0, 'deep', 1])).toEqual({ file: join(dir, 'master.d/10.conf'), line: 5 });
    expect(locate(['nodegroups', 'keep'])).toEqual({ file: join(dir, 'master'), line: 4 });
  });

  it.each(['master', 'master.d/10.conf'])('cannot switch off by an empty key what %s denies', (first) => {
    const key = 'publisher_acl_blacklist';
    const files = { master: '', [first]: `user: joe\n${key}:\n  users: [eve]\n` };
    const why = `${key}: this has no value, and would switch off what DIR/${first}:2 denies`;
    const mend = 'remove the key, or write {} where nobody shall be denied';
    expect(problems({ ...files, 'master.d/20.conf': `# nobody\n${key}:\n` })).toEqual([
      `DIR/master.d/20.conf:2: ${why}. Mend: ${mend}.`,
    ]);
    expect(load({ ...files, 'master.d/20.conf': `${key}: {}\n` }).config[key]).toEqual(
      first === 'master' ? {} : { users: ['eve'] },
    );
    expect(load({ ...files, [first]: `${key}:\n`, 'master.d/20.conf': `${key}:\n` }).config[key]).toEqual({});
  });

  it('are looked for where a new one would count, also while there is none', () => {
    const { folders } = load({
      master: `include: [extra/*.conf, later/on/*.conf, ${dir}/else/*/x.conf, "[ab]/y.conf", one.conf]\n`,
      'extra/notes.txt': '',
      'else/a/x.conf': 'timeout: 7\n',
    });
    expect(folders).toEqual([
      { path: dir },
      { path: join(dir, 'else/a') },
      { path: join(dir, 'extra') },
      { path: join(dir, 'else') },
    ]);
    const outside = load({ master: `include: ${dir}-not/here/*.conf\n` }).folders;
    expect(outside).toEqual([{ path: dir }, { path: dirname(dir), only: `${basename(dir)}-not` }]);
  });

  it('are those that default_include and include name', () => {
    const { config, reports } = load({
      master: 'default_include: conf/*.yml\ninclude:\n  - extra/*.conf\n  - none/*.conf\n',
      'conf/a.yml': 'timeout: 7\nkeep_jobs: 2\n',
      'extra/b.conf': 'timeout: 8\ninclude: more.yml\n',
      'extra/more.yml': 'cluster: blue\n',
      'master.d/a.conf': 'timeout: 9\n',
    });
    expect(config).toMatchObject({ timeout: 8, keep_jobs: 2, cluster: 'blue' });
    expect(reports).toEqual([
      `${dir}/master: include none/*.conf matches no file`,
      `timeout of ${dir}/conf/a.yml:1 is replaced as a whole by ${dir}/extra/b.conf:1`,
    ]);
  });

  it('count in each place that names them', () => {
    const { config, reports } = load({
      master: 'include: [master.d/*.conf, extra.conf]\n',
      'master.d/acl.conf': 'publisher_acl_blacklist: {users: [mallory], modules: [cmd.*]}\n',
      'extra.conf': 'publisher_acl_blacklist: {modules: [state.*]}\n',
    });
    expect(config.publisher_acl_blacklist).toEqual({ users: ['mallory'], modules: ['cmd.*', 'state.*'] });
    expect(reports).toEqual([]);
    const acl = load({
      master: 'include: [a.conf, b.conf]\n',
      'a.conf': 'include: common.inc\n',
      'b.conf': 'include: common.inc\npublisher_acl: {joe: [.*]}\n',
      'common.inc': 'publisher_acl: {fred: [test.ping]}\n',
    });
    expect(acl.config.publisher_acl).toEqual({ fred: ['test.ping'] });
    expect(acl.reports).toEqual([`publisher_acl of ${dir}/b.conf:2 is replaced as a whole by ${dir}/common.inc:1`]);
  });

  it('are none where default_include is empty', () => {
    const files = { 'master.d/x.conf': 'timeout: 9\n' };
    expect(load({ master: 'default_include:\n', ...files }).config.timeout).toBe(5);
    expect(load({ master: '', ...files }).config.timeout).toBe(9);
  });

  it('that include too much, one another again and again, are a problem', () => {
    const levels = Array.from({ length: 12 }, (_, level) => `${level}.conf`);
    const files = levels.map((name, level) => [name, `include: [${levels.slice(level + 1).join(', ')}]\n`] as const);
    expect(problems({ master: 'include: 0.conf\n', ...Object.fromEntries(files) })).toEqual([
      expect.stringContaining('more than a thousand times a file is included'),
    ]);
  });

  it('may include each other without end, and are read once', () => {
    const { config } = load({
      master: 'include: a.conf\n',
      'a.conf': 'include: b.conf\ntimeout: 6\n',
      'b.conf': 'include: a.conf\n',
    });
    expect(config.timeout).toBe(6);
  });

  const denies = { master: 'user: root\n', 'master.d/deny.conf': 'publisher_acl_blacklist: {users: [games]}\n' };
  const closed = 'DIR/master.d: cannot tell which files default_include names there (EACCES).';

  const asToldIn = (folder: string, mode: number) => {
    write(denies);
    chmodSync(dir, 0o755);
    return as(join(dir, folder), mode, () => {
      const loaded = loadMasterConfig(dir);
      return loaded.ok ? loaded.value.config.publisher_acl_blacklist : loaded.error.map(problemSentence);
    });
  };

  it('are heeded below a folder that may be passed and not listed', () => {
    expect(asToldIn('', 0o311)).toEqual({ users: ['games'] });
  });

  it.each(['311', '000'])('stop the start where their own folder has the mode %s', (mode) => {
    expect(asToldIn('master.d', parseInt(mode, 8))).toEqual([expect.stringContaining(closed.replace('DIR', dir))]);
  });

  it('stop the start where the folder of the master file may not be passed through', () => {
    write(denies);
    const said = asToldIn('', 0o000) as readonly string[];
    expect(said[0]).toContain(`${join(dir, 'master')}: cannot read the file (EACCES). Mend:`);
  });

  it.each(['master.d/more.conf', 'master'])('stop the start where %s is a link that leads nowhere', (file) => {
    write(denies);
    rmSync(join(dir, file), { force: true });
    symlinkSync(join(dir, 'nowhere'), join(dir, file));
    const nowhere = `DIR/${file}: this is a link that leads nowhere. Mend: put back the file that it names.`;
    expect(problems({})).toEqual([nowhere]);
  });
});

/** As an account that may do no more than the mode says, also where the tests are run by root. */
function as<T>(folder: string, mode: number, work: () => T): T {
  const isRoot = process.geteuid?.() === 0;
  chmodSync(folder, mode);
  if (isRoot) process.seteuid?.(65_534);
  try {
    return work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o755);
  }
}
