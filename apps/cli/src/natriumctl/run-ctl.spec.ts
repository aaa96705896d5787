import type {
  AccountsOptions,
  AuditOptions,
  DoctorOptions,
  EventOptions,
  FingerprintOptions,
  InitOptions,
  SwarmOptions,
  TokenOptions,
  UpOptions,
} from '../ports.js';
import { allDocumented } from '../manual/all-documented.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { ScriptedMaster } from '../testing/scripted-master.js';
import type { CtlPorts } from './ctl-ports.js';
import { runNatriumctl } from './run-ctl.js';

type Done =
  | readonly ['up', UpOptions]
  | readonly ['init', InitOptions]
  | readonly ['doctor', DoctorOptions]
  | readonly ['fingerprint', FingerprintOptions]
  | readonly ['audit', AuditOptions]
  | readonly ['accounts', AccountsOptions]
  | readonly ['token', TokenOptions]
  | readonly ['event', EventOptions]
  | readonly ['swarm', SwarmOptions];

const documented: CtlPorts['documented'] = (io) => Promise.resolve(allDocumented(io));

async function ctl(...argv: readonly string[]) {
  const io = new ScriptedIo();
  const done: Done[] = [];
  const answer = (what: Done): Promise<number> => Promise.resolve(done.push(what) * 7);
  const ports: CtlPorts = {
    connectMaster: new ScriptedMaster().connect,
    up: (options) => answer(['up', options]),
    init: (options) => answer(['init', options]),
    doctor: (options) => answer(['doctor', options]),
    fingerprint: (options) => answer(['fingerprint', options]),
    audit: (options) => answer(['audit', options]),
    accounts: (options) => answer(['accounts', options]),
    token: (options) => answer(['token', options]),
    event: (options) => answer(['event', options]),
    hearJob: () => Promise.resolve(undefined),
    swarm: (options) => answer(['swarm', options]),
    documented,
  };
  const exit = await runNatriumctl(argv, io, ports);
  return { exit, out: io.stdout, err: io.stderr, done };
}

describe('natriumctl', () => {
  it('does nothing for who names a Saltfile, which may mean another cluster', async () => {
    for (const argv of [
      ['up', '--state', 'D', '--saltfile', 'x'],
      ['--saltfile=x', 'doctor'],
    ]) {
      const { exit, done, err } = await ctl(...argv);
      expect({ exit, done }).toEqual({ exit: 64, done: [] });
      expect(err).toMatch(/^natriumctl (up|doctor): --saltfile is not built yet; nothing was done\.\n$/);
    }
  });

  it('up reads all its options and answers its exit code', async () => {
    const replicas = 'acl-service=2,master-gateway=3';
    const { exit, done } = await ctl(
      ...['up', '--state', 'D', '--minions', 'a, b,c', '--replicas', replicas],
      ...['--nats-port', '4222', '--http-port=8000', '--master-config', 'm'],
    );
    expect(exit).toBe(7);
    const expected = { state: 'D', minions: ['a', 'b', 'c'], replicas: { 'acl-service': 2, 'master-gateway': 3 } };
    expect(done).toEqual([['up', { ...expected, natsPort: 4222, httpPort: 8000, masterConfig: 'm' }]]);
  });

  it('swarm reads all its options, and needs no more than a number', async () => {
    const given = ['--processes', '2', '--prefix', 'w', '--connections', '5', '--answer-delay', '7', '--forget'];
    const all = { minions: 50, prefix: 'w', processes: 2, connections: 5, answerDelayMs: 7, forget: true };
    const least = { minions: 3, prefix: 'swarm', answerDelayMs: 0, forget: false };
    expect((await ctl('swarm', '-c', 'D', '--minions', '50', ...given)).done).toEqual([
      ['swarm', { configDir: 'D', ...all }],
    ]);
    expect((await ctl('swarm', '-c', 'D', '--minions', '3')).done).toEqual([['swarm', { configDir: 'D', ...least }]]);
  });

  it.each([
    ['no number of minions', []],
    ['none of them', ['--minions', '0']],
    ['a prefix that is no name', ['--minions', '2', '--prefix', 'a b']],
    ['words', ['--minions', '2', 'more']],
  ])('swarm refuses %s', async (_about, words) => {
    const { exit, done } = await ctl('swarm', '-c', 'D', ...words);
    expect({ exit, done }).toEqual({ exit: 2, done: [] });
  });

  it('up needs no more than a folder', async () => {
    expect((await ctl('up', '--state', 'D')).done).toEqual([['up', { state: 'D', minions: [], replicas: {} }]]);
  });

  it.each([
    [['up'], 'option --state: name the folder'],
    [['up', '--state', 'D', '--replicas', 'acl'], "'acl' is not service=number"],
    [['up', '--state', 'D', '--replicas', 'acl=0'], "'acl=0' is not service=number"],
    [['up', '--state', 'D', '--nats-port', '70000'], 'option --nats-port'],
    [['up', '--state', 'D', '--minions', 'a,a'], 'a is there twice'],
    [['up', '--state', 'D', 'x'], "unexpected argument 'x'"],
    [['up', '--bogus'], 'no such option: --bogus'],
    [['init', 'x'], "unexpected argument 'x'"],
    [['doctor', 'x'], "unexpected argument 'x'"],
    [['doctor', '-l', '/tmp'], "option -l: invalid choice: '/tmp'"],
    [['up', '--state', 'D', '--broker-auth', 'x'], "'x' is neither jwt nor none"],
    [['acl'], 'say what to do'],
    [['audit'], 'say what to do'],
    [['audit', 'export'], 'name the file'],
    [['audit', 'tail', 'x'], "unexpected argument 'x'"],
    [['accounts'], 'say what to do'],
    [['audit', 'export', 'F', '--dry-run'], 'option --dry-run: archive alone has it'],
    [['init', '--broker-tls', ''], 'option --broker-tls: name the hosts of the broker'],
    [['man', ''], 'name the folder for the manual pages'],
    [['event', 'tail', '--state', ''], 'option --state: name the file'],
    [['event', 'tail', '--socket', ''], 'option --socket: name the socket'],
    [['token', 'list', '--eauth', 'pam'], 'say what to do: natriumctl token list'],
    [['token', 'revoke', '5d0c4a1b9e77', '--eauth', 'pam'], 'say what to do: natriumctl token list'],
    [['job'], 'say what to do: natriumctl job follow <jid>'],
    [['job', 'follow', 'x'], "'x' is not a jid"],
    [['completion'], 'say which shell: bash or zsh'],
    [['completion', 'fish'], 'say which shell: bash or zsh'],
    [['man'], 'name the folder'],
    [['man', '/forbidden'], 'permission denied'],
    [['fly'], 'no such subcommand: fly'],
    [['-c', '/d', 'fly'], 'no such subcommand: fly'],
    [['--bogus', 'init'], 'no such option: --bogus'],
    [['-c', '/d', 'up', '--bogus'], 'no such option: --bogus'],
  ])('%j is a usage error', async (argv, sentence) => {
    const { exit, err, done } = await ctl(...argv);
    expect({ exit, done }).toEqual({ exit: 2, done: [] });
    expect(err).toContain('Usage: natriumctl');
    expect(err).toContain(sentence);
  });

  it('init and fingerprint read the folder, before or after their name', async () => {
    expect((await ctl('init', '-c', '/d', '--user', 'joe')).done).toEqual([['init', { configDir: '/d', user: 'joe' }]]);
    expect((await ctl('-c', '/d', 'init', '--user', 'joe')).done).toEqual([['init', { configDir: '/d', user: 'joe' }]]);
    expect((await ctl('-c', '/d', 'fingerprint')).done).toEqual([['fingerprint', { configDir: '/d' }]]);
    expect((await ctl('init')).done).toEqual([['init', { configDir: '/etc/natrium' }]]);
    expect((await ctl('fingerprint', '-c', '/d')).done).toEqual([['fingerprint', { configDir: '/d' }]]);
  });

  it('audit and accounts read what to do', async () => {
    const none = {
      configDir: '/etc/natrium',
      file: undefined,
      heads: undefined,
      follow: false,
      dryRun: false,
      json: false,
      last: 10,
    };
    expect((await ctl('audit', 'tail', '-f', '-n', '3', '--json')).done).toEqual([
      ['audit', { ...none, verb: 'tail', follow: true, json: true, last: 3 }],
    ]);
    expect((await ctl('audit', 'verify', 'F', '--heads', 'L')).done).toEqual([
      ['audit', { ...none, verb: 'verify', file: 'F', heads: 'L' }],
    ]);
    expect((await ctl('audit', 'archive', 'F')).done).toEqual([['audit', { ...none, verb: 'archive', file: 'F' }]]);
    expect((await ctl('audit', 'archive', '--dry-run')).done).toEqual([
      ['audit', { ...none, verb: 'archive', dryRun: true }],
    ]);
    expect(await ctl('audit', 'archive')).toMatchObject({ exit: 2, done: [] });
    expect((await ctl('accounts', 'sync', '--dry-run', '-c', '/d')).done).toEqual([
      ['accounts', { configDir: '/d', dryRun: true, replace: false, removeMissing: false }],
    ]);
  });

  it('shows its subcommands, and more about each', async () => {
    const { exit, out } = await ctl('-h');
    expect(exit).toBe(0);
    for (const name of ['init', 'up', 'fingerprint']) expect(out).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
    expect(await ctl('up', '-h')).toMatchObject({ exit: 0, done: [] });
    expect((await ctl('up', '-h')).out).toContain('--replicas <list>');
    expect((await ctl()).exit).toBe(42);
    expect((await ctl('--version')).out).toBe('natriumctl 0.1.0 (Sodium)\n');
  });

  it.each([
    [['token', 'list', '--json'], { verb: 'list', json: true }],
    [['token', 'revoke', '5d0c4a1b'], { verb: 'revoke', json: false, id: '5d0c4a1b' }],
    [
      ['token', 'revoke', '--user', 'alice', '--eauth', 'ldap'],
      { verb: 'revoke', json: false, user: 'alice', eauth: 'ldap' },
    ],
  ])('%j reads its options', async (argv, wanted) => {
    expect((await ctl(...argv)).done).toEqual([['token', { configDir: '/etc/natrium', ...wanted }]]);
  });

  it.each([
    [['token']],
    [['token', 'list', 'x']],
    [['token', 'revoke']],
    [['token', 'revoke', 'x', '--user', 'a']],
    [['token', 'end', 'x']],
  ])('%j is refused, and nothing is asked', async (argv) => {
    expect(await ctl(...argv)).toMatchObject({ exit: 2, done: [] });
  });

  it('writes the manual pages and prints completion', async () => {
    const io = new ScriptedIo();
    const none = () => Promise.resolve(70);
    const ports = {
      connectMaster: new ScriptedMaster().connect,
      up: none,
      init: none,
      fingerprint: none,
      doctor: none,
    };
    const more = { audit: none, event: none, accounts: none, token: none, swarm: none };
    const hearJob = () => Promise.resolve(undefined);
    expect(await runNatriumctl(['man', '/d'], io, { ...ports, ...more, hearJob, documented })).toBe(0);
    expect([...io.files.keys()]).toContain('/d/natrium-key.8');
    expect(io.stdout).toContain('/d/natriumctl.8\n');
    expect(await ctl('completion', 'bash')).toMatchObject({ exit: 0, err: '' });
    expect((await ctl('completion', 'zsh')).out).toMatch(/^#compdef natrium natrium-call/);
  });
});
