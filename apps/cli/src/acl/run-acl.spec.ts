import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuditChain, sodiumReady, type WireMap } from '@natrium/envelope';
import { err, ok, type Principal, refusal } from '@natrium/model';
import { makeCommand, runProgram } from '../common/program.js';
import { acl } from '../natriumctl/acl.js';
import type { ConnectMaster } from '../ports.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { ScriptedMaster } from '../testing/scripted-master.js';
import { runAcl } from './run-acl.js';

const dir = mkdtempSync(join(tmpdir(), 'natrium-acl-'));

afterAll(() => rmSync(dir, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
}

function masterFolder(name: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(join(dir, name, 'master.d'), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(dir, name, path), text);
  return join(dir, name);
}

const MASTER = file('master', 'publisher_acl:\n  fred:\n    - G@os:Debian:\n        - test\\.ping$\n');
const FLEET = file('fleet.yaml', 'web1: {os: Debian}\nweb2: {os: RedHat}\n');
const noCluster: ConnectMaster = () => Promise.resolve(err({ sentence: 'there is no cluster', exit: 78 }));

async function run(argv: readonly string[], connectMaster: ConnectMaster = noCluster) {
  const io = new ScriptedIo();
  const command = makeCommand('natriumctl acl', acl.usage, io);
  acl.declare(command);
  command.option('-c, --config-dir <dir>', '');
  const program = { name: 'natriumctl acl', usage: acl.usage, command };
  const exit = await runProgram(program, argv, io, (options, [word = '', ...words]) =>
    runAcl({ word, words, options, io, connectMaster }),
  );
  return { exit, out: io.stdout, err: io.stderr };
}

/** A line of an export about one request. */
function exportedLine(chain: AuditChain, caller: Principal, detail: WireMap): string {
  const about = { what: 'grant', digest: null, jid: null, verdict: 'allow', rule: null } as const;
  const { bytes } = chain.append({ time: 1, caller, ...about, detail });
  return JSON.stringify({ record: Buffer.from(bytes).toString('base64'), chain: 'acl-1', number: 0 });
}

const over = (policy: string, inventory = FLEET): readonly string[] => ['--policy', policy, '--inventory', inventory];

describe('natriumctl acl', () => {
  it('explain exits 0 when it is allowed and 13 when it is refused', async () => {
    expect(await run(['explain', 'fred', 'test.ping', 'web1', ...over(MASTER)])).toMatchObject({ exit: 0 });
    const refused = await run(['can-i', 'fred', 'test.ping', '*', ...over(MASTER)]);
    expect(refused.exit).toBe(13);
    expect(refused.out).toContain(
      `${MASTER}:4 publisher_acl.fred[0].G@os:Debian[0]: the function matches, but web2 is not`,
    );
  });

  it('lint exits 0 clean, 1 for warnings when they are strict, 2 for problems', async () => {
    const open = file('open', 'peer:\n  web1$:\n    - test.ping\n');
    const broken = file('broken', 'peer:\n  web1$: test.ping\n');
    expect((await run(['lint', MASTER, '--strict', '--inventory', FLEET])).exit).toBe(0);
    expect((await run(['lint', open])).exit).toBe(0);
    expect((await run(['lint', open, '--strict'])).exit).toBe(1);
    expect((await run(['lint', broken])).exit).toBe(2);
    expect((await run(['lint', join(dir, 'nowhere')])).exit).toBe(2);
    expect((await run(['lint', join(open, 'below')])).out).toContain(
      'open/below:1: problem: there is no such file; name a master file, as UTF-8 text, or its folder',
    );
    expect((await run(['lint', mkdtempSync(join(dir, 'empty-'))])).out).toContain(
      ': problem: there is no master file here',
    );
    expect((await run(['lint', file('bad', 'peer: [')])).exit).toBe(2);
    expect((await run(['lint', file('number', 'peer:\n  1:\n    - test\\.\n')])).out).toContain(
      'number:2: problem: peer.1: YAML reads',
    );
    expect((await run(['lint', file('sockets', 'event_acl:\n  1: {read: "*"}\n')])).out).toContain(
      'sockets:2: problem: event_acl.1: YAML reads',
    );
  });

  it('lint finds in a file what would stop the start: keys that nobody has, or that have new names, and what is no UTF-8', async () => {
    const { exit, out } = await run(['lint', file('keys', '\nclient_acl: {}\npeers: {}\ninterface: 0.0.0.0\nworker_threads: 5\n')]);
    expect({ exit, lines: out.split('\n').length }).toEqual({ exit: 2, lines: 4 });
    expect(out).toContain('keys:2: problem: client_acl: Salt renamed client_acl to publisher_acl; write publisher_acl');
    expect(out).toContain('keys:3: problem: peers: no key of Natrium, and none of Salt’s that it knows; did you mean peer?');
    writeFileSync(join(dir, 'latin'), Buffer.from('# f\xfcr alle\npeer: {}\n', 'latin1'));
    expect((await run(['lint', join(dir, 'latin')])).out).toContain('latin:1: problem: it is no UTF-8 text');
  }); // prettier-ignore

  it('lint says what forged events could set off, and what never runs', async () => {
    const rules = (tag: string, grants: string) =>
      file('reactor', `reactor:\n  - '${tag}':\n      - hello:\n          runner.a.b: []\nreactor_grants: ${grants}\n`);
    expect((await run(['lint', rules('salt/minion/*/start', "{hello: ['@runner']}")])).out).toContain(
      "any minion can fire 'salt/minion/any-minion/start' and set off runner.a.b",
    );
    const PROVED = 'the id in that tag is proved, and no other: name it as ${tag.2}';
    const UNDER_SALT = 'react to tags under salt/';
    const mends = { 'salt/beacon/*/load': [PROVED, UNDER_SALT], 'deploy/*': [UNDER_SALT, PROVED] } as const;
    for (const [tag, [mend, other]] of Object.entries(mends)) {
      const { out } = await run(['lint', rules(tag, "{hello: ['@runner']}")]);
      expect([out.includes(mend), out.includes(other)]).toEqual([true, false]);
    }
    expect((await run(['lint', rules('salt/job/*/new', "{hello: ['@runner']}")])).out).toContain('no minion can');
    expect((await run(['lint', rules('deploy/*', '{}')])).out).toContain("no key of reactor_grants names 'hello'");
  });

  const CHOSEN = 'the id is theirs to choose, also that of another minion';
  it.each([
    ['local.a.b: [{tgt: "${data.id}"}]', CHOSEN],
    ['runner.salt.execute: [{args: ["${data.id}", a.b]}]', CHOSEN],
    ['runner.salt.execute: [{tgt: "${data.id}"}, {fun: a.b}]', CHOSEN],
    ['wheel.key.accept: [{match: "${data.id}"}]', 'with data.id as the event says it'],
    ['local.a.b: [{tgt: web1}]', 'grant only what anybody may have done'],
  ])('lint says that whoever asks for a key sets off what reacts to it, and whom they name: %s', async (call, sentence) => {
    const rules = (tag: string) =>
      file('strangers', `reactor:\n  - '${tag}':\n      - hello:\n          ${call}\nreactor_grants: {hello: ['.*', '@runner', '@wheel']}\n`);
    const { out } = await run(['lint', rules('salt/auth'), '--offline']);
    expect(out).toContain("anybody who asks for a key, accepted or not, can fire 'salt/auth' and set off");
    expect(out).toContain(sentence);
    expect(out.includes(CHOSEN)).toBe(sentence === CHOSEN);
    expect((await run(['lint', rules('salt/key'), '--offline'])).out).not.toContain('anybody who asks for a key');
  }); // prettier-ignore

  const HOOK =
    "reactor:\n  - 'salt/netapi/hook/deploy':\n      - hello:\n          runner.a.b: []\nreactor_grants: {hello: ['@runner']}\n";
  const OPEN = '{port: 8000, webhook_disable_auth: true}';
  it.each([
    ['', "note: reactor[0].salt/netapi/hook/deploy[0].hello: a gateway that is taken over can set off runner.a.b (reaction hello); no minion can"],
    ['http_port: 8000', "warning: reactor[0].salt/netapi/hook/deploy[0].hello: every login of the HTTP API can fire 'salt/netapi/hook/deploy'"],
    ['rest_cherrypy: {port: 8000}', 'every login of the HTTP API can fire'],
    [`rest_cherrypy: ${OPEN}`, "anybody who reaches the HTTP API, without a login, can fire 'salt/netapi/hook/deploy' and set off runner.a.b"],
    ["event_acl: {bob: {fire: ['*/hook/*']}, ops%: {fire: '*'}, eve: {read: ['*'], fire: ['a*']}}", "by event_acl group ops% can fire 'salt/netapi/hook/deploy'"],
    ["event_acl: {bob: {read: ['*']}}", '; no minion can'],
  ])('lint says who besides minions could set a reaction off: with %j', async (section, sentence) => {
    const { out } = await run(['lint', file('doors', `${HOOK}${section}\n`), '--offline']);
    expect(out).toContain(sentence);
    expect(out.includes('no minion can')).toBe(sentence.includes('no minion can'));
    const folder = mkdtempSync(join(dir, 'doors-'));
    writeFileSync(join(folder, 'master'), `${HOOK}${section}\n`);
    expect((await run(['lint', folder, '--offline'])).out).toContain(sentence);
  }); // prettier-ignore

  it('lint tells of a setting of the HTTP API that would stop the services, of a file alone too', async () => {
    const text = 'rest_cherrypy: {port: 8000, authorized_ip: [192.0.2.1]}\n';
    const folder = mkdtempSync(join(dir, 'api-'));
    writeFileSync(join(folder, 'master'), text);
    for (const path of [file('api', text), folder]) {
      const { exit, out } = await run(['lint', path, '--offline']);
      expect([exit, out]).toEqual([2, expect.stringMatching(/:1: problem: rest_cherrypy\.authorized_ip: .*did you mean authorized_ips\?/)]); // prettier-ignore
    }
  });

  it('lint --json gives file, line, witness and mend', async () => {
    const found = JSON.parse(
      (await run(['lint', file('open', 'peer:\n  web1$:\n    - test.ping\n'), '--json'])).out,
    ) as unknown;
    expect(found).toMatchObject({
      warnings: 1,
      findings: [
        { line: 3, code: 'covers-more', witness: ['test.ping_evil', 'testXping'], mend: "write 'test\\.ping$'" },
      ],
    });
  });

  it('reads a folder with what it includes, as the services do', async () => {
    const later = 'peer:\n  web1:\n    - test\\.ping$\n';
    const folder = masterFolder('etc', { master: 'peer: {}\n', 'master.d/acl.conf': later });
    expect((await run(['lint', folder])).out).toContain('acl.conf:2: warning: peer.web1:');
    expect(
      (await run(['explain', 'minion:web1', 'test.ping', '*', '--policy', folder, '--inventory', FLEET])).exit,
    ).toBe(0);
    expect((await run(['explain', 'web1', 'test.ping', '*', '-c', folder, '--inventory', FLEET])).exit).toBe(0);
  });

  it('lint looks at the lists of a folder also where another key stops the start', async () => {
    const folder = masterFolder('beside', {
      master: 'frobnicate: 1\ntimeout: soon\npublisher_acl: {fred: test.ping}\n',
    });
    const { exit, out } = await run(['lint', folder, '--offline']);
    expect(exit).toBe(2);
    for (const said of [
      ':1: problem: frobnicate: no key of Natrium',
      ':2: problem: timeout: this is a text',
      ':3: problem: publisher_acl.fred: this is not a list',
    ])
      expect(out).toContain(`${join(folder, 'master')}${said}`);
    // It would not be in force: nothing can be said of who may.
    for (const words of [
      ['can-i', 'fred', 'test.ping', 'web1'],
      ['who-can', 'test.ping', 'web1'],
    ]) {
      const asked = await run([...words, '--policy', folder, '--offline']);
      expect(asked).toMatchObject({ exit: 2, out: '', err: expect.stringContaining('frobnicate: no key') as string });
    }
  });

  it('lint warns of a list that a file which is read later takes the place of', async () => {
    const folder = masterFolder('replaced', {
      master: 'timeout: 5\npublisher_acl_blacklist:\n  users: [mallory]\n',
      'master.d/acl.conf': 'timeout: 6\npublisher_acl_blacklist: {modules: [cmd.*]}\n',
    });
    const later = `${join(folder, 'master.d', 'acl.conf')}:2`;
    const warned = await run(['lint', folder, '--offline', '--strict']);
    expect(warned.exit).toBe(1);
    expect(warned.out).toContain(
      `${join(folder, 'master')}:2: warning: publisher_acl_blacklist: nothing here counts: ${later} has this key too`,
    );
    expect(warned.out).not.toContain('timeout');
  });

  it('lint knows which modules of runners there are, unless the master loads others', async () => {
    const list = "external_auth:\n  pam:\n    fred: ['@whell']\n";
    const told = await run(['lint', masterFolder('own', { master: list }), '--offline']);
    expect(told.out).toContain("did you mean '@wheel'?");
    expect((await run(['lint', file('alone', list), '--offline'])).out).not.toContain('did you mean');
    const others = masterFolder('others', { master: `runner_dirs: [/srv/runners]\n${list}` });
    expect((await run(['lint', others, '--offline'])).out).not.toContain('did you mean');
  });

  it('asks the running cluster for its inventory, and closes the link', async () => {
    const master = new ScriptedMaster({
      inventory: ok({ accepted: ['a', 'b'], cache: { a: { grains: { os: 'Debian' } } } }),
    });
    const line = ['explain', 'fred', 'test.ping', '*', '--policy', MASTER];
    const asked = await run(line, master.connect);
    expect(asked.out).toContain("b is not in 'G@os:Debian'");
    expect(master.closed).toBe(1);
    await run([...line, '--offline'], master.connect);
    expect(master.connected).toHaveLength(1);
  });

  it('goes on without an inventory, and says why there is none', async () => {
    const shut = new ScriptedMaster({ inventory: err(refusal('not_permitted', 'account fred may not ask this')) });
    const asked = await run(['who-can', 'test.ping', 'web1', '--policy', MASTER], shut.connect);
    expect(asked.err).toBe('No inventory: account fred may not ask this. Only ids that rules name are known.\n');
    expect(asked.exit).toBe(0);
    const away: ConnectMaster = () => Promise.resolve(err({ sentence: 'no broker answers', exit: 69 }));
    expect((await run(['lint', MASTER], away)).err).toContain('no broker answers');
    expect((await run(['lint', MASTER])).err).toBe('');
  });

  it('knows the minion that is asked about also without an inventory, and no target of a rule that it is not in', async () => {
    const policy = file('deploy', 'publisher_acl:\n  deploy:\n    - web*:\n        - cmd\\.run$\n');
    const ask = async (...words: readonly string[]) => run([...words, '--policy', policy]);
    expect((await ask('who-can', 'cmd.run', 'web1')).out).toContain('account deploy');
    expect((await ask('who-can', 'cmd.run', '-L', 'web1,web2')).out).toContain('account deploy');
    expect((await ask('who-can', 'cmd.run', 'db1')).out).not.toContain('account deploy');
    expect((await ask('who-can', 'cmd.run', '-L', 'web1,db1')).out).not.toContain('account deploy');
    expect(await ask('can-i', 'deploy', 'cmd.run', 'db1')).toMatchObject({ exit: 13 });
    expect(await ask('can-i', 'deploy', 'cmd.run', 'web1')).toMatchObject({ exit: 0 });
  });

  it('says nothing of a minion that nobody knows where a rule goes by what it is, and not by its name', async () => {
    const rules = "publisher_acl:\n  deploy: [{'web*': [cmd\\.run$]}]\n  fred: [{'G@os:Debian': [cmd\\.run$]}]\n";
    for (const policy of [
      rules,
      `${rules}nodegroups: {debian: 'G@os:Debian'}\n`.replace("'G@os:Debian': [", "'N@debian': ["),
    ]) {
      const { out } = await run(['who-can', 'cmd.run', 'web1', '--policy', file('data', policy)]);
      expect(out).toContain('account fred');
      expect(out).toContain('?  no minion matches the target');
      const asked = await run(['can-i', 'fred', 'cmd.run', 'web1', '--policy', file('data', policy)]);
      expect(asked).toMatchObject({ exit: 0, out: expect.stringContaining('minions  nobody') as string });
    }
  });

  it('who-can says that it looked at no target of a rule where its own means nobody', async () => {
    const { out } = await run(['who-can', 'test.ping', 'web*', '--policy', MASTER]);
    expect(out).toContain('account fred');
    expect(out).toContain('?  no minion matches the target: on which minions each rule permits it was not looked at');
    const json = await run(['who-can', 'test.ping', 'web*', '--policy', MASTER, '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ nobody: 'no minion matches the target' });
    const known = await run(['who-can', 'test.ping', 'web1', ...over(MASTER)]);
    expect(known.out).not.toContain('?');
  });

  it('test exits 1 at a failure and names file and line', async () => {
    const tests = (text: string) => file('policy.test.yaml', `policy: master\ninventory: fleet.yaml\ntests:\n${text}`);
    expect((await run(['test', tests('  - {who: fred, what: test.ping, whom: web1, expect: allow}\n')])).exit).toBe(0);
    const failed = await run(['test', tests('  - {who: fred, what: test.ping, whom: web2, expect: allow}\n')]);
    expect(failed.exit).toBe(1);
    expect(failed.out).toContain(`at: ${join(dir, 'policy.test.yaml')}:4`);
    const malformed = await run(['test', tests('  - {who: fred, what: test.ping, expect: allow}\n')]);
    expect(malformed).toMatchObject({ exit: 2, out: '' });
    expect(malformed.err).toContain('policy.test.yaml:4: tests[0].whom: whom is missing');
  });

  it('diff lists only what changes, also of the exported audit', async () => {
    await sodiumReady();
    const next = file('next', 'publisher_acl:\n  fred:\n    - test\\.ping$\n');
    const chain = new AuditChain('acl-1', []);
    const detail = { funs: ['test.ping'], target: 'web2', minions: 0 };
    const caller = { kind: 'account', name: 'fred' } as const;
    const { bytes } = chain.append({
      time: 1,
      what: 'refusal',
      caller,
      digest: null,
      jid: null,
      verdict: 'refuse',
      rule: null,
      detail,
    });
    const line = JSON.stringify({ record: Buffer.from(bytes).toString('base64'), chain: 'acl-1', number: 0 });
    const audit = file('audit.jsonl', `{"audit":1,"roles":"","grants":false}\n${line}\n`);
    const changed = await run(['diff', MASTER, next, '--inventory', FLEET, '--audit', audit]);
    expect(changed.exit).toBe(0);
    expect(changed.out.split('\n')).toEqual([
      `+ account fred: test.ping on web2  (${next}:3 publisher_acl.fred[0])`,
      '1 newly allowed (+), 0 newly refused (-)',
      'recorded requests that change:',
      "+ account fred: test.ping on 'web2'  (1 time)",
      '',
    ]);
    expect((await run(['diff', MASTER, next, '--inventory', FLEET, '--strict'])).exit).toBe(1);
    expect(await run(['diff', MASTER, MASTER, '--inventory', FLEET, '--strict'])).toMatchObject({
      exit: 0,
      out: 'nothing changes\n',
    });
  });

  it('diff asks an exported record again as what it was, with a target of the kind that it had', async () => {
    await sodiumReady();
    const chain = new AuditChain('acl-1', []);
    const asks = [
      { form: 'wheel', funs: ['key.list_all'], target: '', tgt_type: 'glob' },
      { form: 'run', funs: ['key.list_all'], target: '', tgt_type: 'glob' },
      { form: 'job', funs: ['test.ping'], target: 'web[12]$', tgt_type: 'pcre' },
      { form: 'job', funs: ['test.ping'], target: 'web[12]$', tgt_type: 'glob' },
    ];
    const lines = asks.map((detail) => exportedLine(chain, { kind: 'account', name: 'fred' }, detail));
    const old = file('wide', "publisher_acl:\n  fred:\n    - '@wheel'\n    - '*':\n        - test\\.ping$\n");
    const next = file('narrow', 'publisher_acl:\n  fred:\n    - web1:\n        - test\\.ping$\n');
    const { out } = await run([
      'diff',
      old,
      next,
      '--inventory',
      FLEET,
      '--audit',
      file('asked.jsonl', lines.join('\n')),
    ]);
    expect(out.slice(out.indexOf('recorded requests')).split('\n')).toEqual([
      'recorded requests that change:',
      '- account fred: wheel key.list_all  (1 time)',
      "- account fred: test.ping on 'web[12]$' (pcre)  (1 time)",
      '',
    ]);
  });

  it('diff asks what an external user asked of the back end that had proved him, and of no other', async () => {
    await sodiumReady();
    const chain = new AuditChain('acl-1', []);
    const detail = { form: 'job', funs: ['test.ping'], target: '*', tgt_type: 'glob' };
    const lines = ['file', 'pam'].map((eauth) =>
      exportedLine(chain, { kind: 'external', name: 'ann' }, { ...detail, eauth }),
    );
    const wide = 'external_auth:\n  file:\n    ann: [test.*]\n';
    const policies = [file('both', `${wide}  pam:\n    ann: [test.*]\n`), file('one', wide)];
    const audit = file('users.jsonl', lines.join('\n'));
    const { out } = await run(['diff', ...policies, '--inventory', FLEET, '--audit', audit]);
    expect(out.slice(out.indexOf('recorded requests')).split('\n')).toEqual([
      'recorded requests that change:',
      "- external pam/ann: test.ping on '*'  (1 time)",
      '',
    ]);
  });

  it.each([
    [['fly'], 'no such word: fly'],
    [['explain'], 'name a caller'],
    [['explain', 'fred', 'test.ping', ...over(MASTER)], 'name a target'],
    [['explain', 'fred', 'a.b', 'x', '-G', '-L', ...over(MASTER)], 'one target option at most'],
    [['explain', 'nobody', 'a.b', 'x', ...over(MASTER)], "nobody known is called 'nobody'"],
    [['explain', 'fred', 'a.b', 'x', ...over(MASTER, join(dir, 'none'))], 'there is no such file'],
    [['diff', MASTER], 'name two policies'],
    [['who-can'], 'name a function'],
  ])('%j is a usage error', async (argv, sentence) => {
    const { exit, err: said } = await run(argv);
    expect(exit).toBe(2);
    expect(said).toContain(sentence);
  });

  it('disarms what a file would do to a terminal', async () => {
    const evil = file('evil', 'peer:\n  "web\\e[31m":\n    - test\\.\n');
    expect((await run(['lint', evil])).out).not.toContain('\u001b');
  });
});
