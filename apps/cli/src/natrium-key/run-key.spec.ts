import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fingerprint, toHex } from '@natrium/envelope';
import { readIdentity } from '@natrium/keystore';
import { refusal } from '@natrium/model';
import type { KeyEntry } from '../ports.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { type Script, ScriptedMaster } from '../testing/scripted-master.js';
import { runNatriumKey } from './run-key.js';

const KEYS: readonly KeyEntry[] = [
  { id: 'web2', fingerprint: 'aa:02', state: 'pending', publicKey: 'PUB2' },
  { id: 'web1', fingerprint: 'aa:01', state: 'pending' },
  { id: 'db1', fingerprint: 'aa:03', state: 'accepted' },
  { id: 'old', fingerprint: 'aa:04', state: 'rejected' },
  { id: 'bad', fingerprint: 'aa:05', state: 'denied' },
];

async function key(argv: readonly string[], script: Script = {}, answers: readonly string[] = []) {
  const io = new ScriptedIo({ answers });
  const master = new ScriptedMaster({ keys: KEYS, local: { 'master.pub': 'ff:00' }, ...script });
  const exit = await runNatriumKey(argv, io, master.connect);
  return {
    exit,
    out: io.stdout,
    err: io.stderr,
    decided: master.decided,
    asked: io.asked,
    connected: master.connected.length,
  };
}

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('');

describe('natrium-key lists', () => {
  const all = lines(
    'Accepted Keys:',
    'db1',
    'Denied Keys:',
    'bad',
    'Unaccepted Keys:',
    'web1',
    'web2',
    'Rejected Keys:',
    'old',
  );

  it.each([[[]], [['-L']], [['--list-all']], [['-l', 'all']]])('all keys with %j', async (argv) => {
    expect(await key(argv)).toMatchObject({ exit: 0, out: all });
  });

  it('every heading, also without keys', async () => {
    expect((await key([], { keys: [] })).out).toBe(
      lines('Accepted Keys:', 'Denied Keys:', 'Unaccepted Keys:', 'Rejected Keys:'),
    );
  });

  it.each([
    ['un', lines('Unaccepted Keys:', 'web1', 'web2')],
    ['pre', lines('Unaccepted Keys:', 'web1', 'web2')],
    ['accepted', lines('Accepted Keys:', 'db1')],
    ['rej', lines('Rejected Keys:', 'old')],
    ['den', lines('Denied Keys:', 'bad')],
  ])('one state with -l %s', async (state, out) => {
    expect((await key(['-l', state])).out).toBe(out);
  });

  it('by id, whatever the case of its letters', async () => {
    const keys = ['b', 'B', 'a', 'C'].map((id) => ({ id, fingerprint: 'aa', state: 'accepted' as const }));
    expect((await key(['-l', 'acc'], { keys })).out).toBe(lines('Accepted Keys:', 'a', 'B', 'b', 'C'));
  });

  it("as JSON in Salt's shape", async () => {
    expect(JSON.parse((await key(['--out', 'json'])).out)).toEqual({
      minions: ['db1'],
      minions_denied: ['bad'],
      minions_pre: ['web1', 'web2'],
      minions_rejected: ['old'],
    });
  });

  it('also with options of Salt that change nothing, and a long option cut short', async () => {
    expect(await key(['-u', 'root', '--hard-crash', '--list-a'])).toMatchObject({ exit: 0, out: all });
  });

  it('no state that does not exist', async () => {
    expect(await key(['-l', 'wet'])).toMatchObject({ exit: 2, connected: 0 });
  });
});

describe('natrium-key shows', () => {
  it('fingerprints with -f, after two blanks', async () => {
    expect((await key(['-f', 'web*'])).out).toBe(lines('Unaccepted Keys:', 'web1:  aa:01', 'web2:  aa:02'));
  });

  it("all of them with -F, the cluster's own first", async () => {
    const { out } = await key(['-F']);
    expect(out.startsWith(lines('Local Keys:', 'master.pub:  ff:00', 'Accepted Keys:', 'db1:  aa:03'))).toBe(true);
    expect(JSON.parse((await key(['-F', '--out=json'])).out)).toMatchObject({
      local: { 'master.pub': 'ff:00' },
      minions: { db1: 'aa:03' },
    });
  });

  it("the cluster's own where -f means it, as Salt's commands for master_finger ask", async () => {
    const own = lines('Local Keys:', 'master.pub:  ff:00');
    expect((await key(['-f', 'master.pub'])).out).toBe(own);
    expect((await key(['-f', '*'])).out.startsWith(own)).toBe(true);
    expect((await key(['-F', 'master'])).out).toBe((await key(['-F'])).out);
    expect((await key(['-p', '*'])).out).not.toContain('Local Keys');
    expect((await key(['-f', '*', '--fingerprint', 'aa:03'])).out).toBe(lines('Accepted Keys:', 'db1:  aa:03'));
  });

  it('a public key of several lines as it is', async () => {
    const keys = [{ id: 'web2', fingerprint: 'aa:02', state: 'pending' as const, publicKey: 'BEGIN\nAA\nEND' }];
    expect((await key(['-p', 'web2'], { keys })).out).toBe(lines('Unaccepted Keys:', 'web2:  BEGIN', 'AA', 'END'));
  });

  it('public keys with -p', async () => {
    expect((await key(['-p', 'web2'])).out).toBe(lines('Unaccepted Keys:', 'web2:  PUB2'));
  });

  it('that nothing matches', async () => {
    expect(await key(['-f', 'nobody'])).toMatchObject({ exit: 0, err: '' });
    expect((await key(['-f', 'nobody'])).out).toContain("The key glob 'nobody' does not match any");
  });

  it.each(['-f', '-p'])('nothing as an empty map with %s and --out', async (flag) => {
    expect(await key([flag, 'nobody', '--out', 'json'])).toMatchObject({ exit: 0, out: '{}\n' });
  });
});

describe('natrium-key that decides', () => {
  it.each(['json', 'jsonl', 'yaml', 'raw'])(
    'with --out %s leaves stdout to that, and says its sentences on stderr',
    async (format) => {
      const whole = await key(['-y', '-a', 'web1', '--out', format]);
      const said = ['The following keys are going to be accepted:', 'Key for minion web1 accepted.'];
      expect(whole.err).toBe(lines(...said));
      for (const one of said) expect(whole.out).not.toContain(one);
      if (format === 'json') expect(JSON.parse(whole.out)).toEqual({ minions_pre: ['web1'] });
      expect(await key(['-y', '-a', 'nobody', '--out', format])).toMatchObject({ exit: 0, out: '' });
      const nested = await key(['-y', '-a', 'web1']);
      expect([nested.err, said.every((one) => nested.out.includes(one))]).toEqual(['', true]);
    },
  );
});

describe('natrium-key -a', () => {
  const shown = lines(
    'The following keys are going to be accepted:',
    'Unaccepted Keys:',
    'web1:  aa:01',
    'web2:  aa:02',
  );

  it('shows id and fingerprint, asks, and accepts exactly those pairs', async () => {
    const { exit, out, asked, decided } = await key(['-a', 'web*'], {}, ['']);
    expect(out).toBe(shown + lines('Key for minion web1 accepted.', 'Key for minion web2 accepted.'));
    expect({ exit, asked }).toEqual({ exit: 0, asked: ['Proceed? [n/Y] '] });
    const pairs = [
      { id: 'web1', fingerprint: 'aa:01' },
      { id: 'web2', fingerprint: 'aa:02' },
    ];
    expect(decided).toEqual([{ verb: 'accept', pairs }]);
  });

  it.each([[['n']], [['no']]])('does nothing when the answer is %j', async (answers) => {
    expect(await key(['-a', 'web1'], {}, answers)).toMatchObject({ exit: 0, decided: [] });
  });

  it('shows ids alone with -y, as scripts know it', async () => {
    expect((await key(['-y', '-a', 'web1'])).out).toBe(
      lines(
        'The following keys are going to be accepted:',
        'Unaccepted Keys:',
        'web1',
        'Key for minion web1 accepted.',
      ),
    );
  });

  it('does not ask with -y', async () => {
    expect(await key(['-y', '-a', 'web1'])).toMatchObject({ exit: 0, asked: [], decided: [{ verb: 'accept' }] });
  });

  it('takes all pending ones with -A, and only pending ones unless told', async () => {
    const ids = async (...argv: readonly string[]) =>
      (await key([...argv, '-y'])).decided[0]?.pairs.map(({ id }) => id);
    expect(await ids('-A')).toEqual(['web1', 'web2']);
    expect(await ids('-A', '--include-rejected')).toEqual(['old', 'web1', 'web2']);
    expect(await ids('-A', '--include-all', '--include-denied')).toEqual(['bad', 'old', 'web1', 'web2']);
  });

  it('says that nothing matches, and exits 0 as Salt does', async () => {
    expect(await key(['-a', 'db1'])).toMatchObject({
      exit: 0,
      out: "The key glob 'db1' does not match any unaccepted keys.\n",
      decided: [],
    });
    expect((await key(['-a', 'x', '--include-all', '--include-denied'])).out).toContain(
      'any unaccepted, rejected or denied keys.',
    );
  });

  it('names a key that changed after it was shown, and exits 1', async () => {
    const { exit, out, err } = await key(['-y', '-A'], { changed: ['web2'] });
    expect(exit).toBe(1);
    expect(out).toContain('Key for minion web1 accepted.\n');
    expect(out).not.toContain('Key for minion web2');
    expect(err).toBe('Not accepted, because the key is no longer as it was shown: web2.\n');
  });

  const twins = [...KEYS, { id: 'web1', fingerprint: 'bb:99', state: 'pending' } as const];

  it('accepts none of two keys under one id, also with -y', async () => {
    const { exit, err, decided, out } = await key(['-y', '-a', 'web1'], { keys: twins });
    expect({ exit, decided }).toEqual({ exit: 1, decided: [] });
    expect(out).toContain('web1:  aa:01, bb:99');
    expect(err).toContain('choose one with --fingerprint');
  });

  it('accepts the one whose fingerprint is given', async () => {
    const { exit, decided } = await key(['-y', '-a', 'web1', '--fingerprint', ' BB'], { keys: twins });
    expect({ exit, decided }).toEqual({
      exit: 0,
      decided: [{ verb: 'accept', pairs: [{ id: 'web1', fingerprint: 'bb:99' }] }],
    });
  });
});

describe('natrium-key -r and -d', () => {
  it('rejects pending keys, accepted ones only when told', async () => {
    expect((await key(['-y', '-r', 'db1'])).decided).toEqual([]);
    const { out, decided } = await key(['-y', '-r', 'db1', '--include-accepted']);
    expect(out).toContain('The following keys are going to be rejected:\n');
    expect(out).toContain('Key for minion db1 rejected.\n');
    expect(decided[0]?.verb).toBe('reject');
  });

  it('deletes keys of any state, and asks with no as the default', async () => {
    expect(await key(['-d', 'db1'], {}, [''])).toMatchObject({ asked: ['Proceed? [N/y] '], decided: [] });
    const { out, decided } = await key(['-d', 'db1'], {}, ['y']);
    expect(out).toBe(
      lines(
        'The following keys are going to be deleted:',
        'Accepted Keys:',
        'db1:  aa:03',
        'Key for minion db1 deleted.',
      ),
    );
    expect(decided).toEqual([{ verb: 'remove', pairs: [{ id: 'db1', fingerprint: 'aa:03' }] }]);
    expect((await key(['-D', '-y'])).decided[0]?.pairs).toHaveLength(5);
  });

  it("says Salt's sentence when nothing matches", async () => {
    expect((await key(['-d', 'x'])).out).toBe("The key glob 'x' does not match any unaccepted keys.\n");
  });

  it('is silent with -q -y', async () => {
    expect(await key(['-q', '-y', '-d', 'db1'])).toMatchObject({ exit: 0, out: '', decided: [{ verb: 'remove' }] });
  });
});

describe('natrium-key without an answer', () => {
  it('decides nothing at the end of its input, and says how to do without the question', async () => {
    const { exit, err, decided } = await key(['-a', 'web1']);
    expect({ exit, decided }).toEqual({ exit: 2, decided: [] });
    expect(err).toBe('Nobody answered, and nothing was done; -y does it without asking.\n');
  });

  it('decides nothing at Ctrl-C', async () => {
    const io = new ScriptedIo();
    io.ask = async () => {
      await Promise.resolve();
      io.pressCtrlC();
      return undefined;
    };
    const master = new ScriptedMaster({ keys: KEYS });
    expect(await runNatriumKey(['-a', 'web1'], io, master.connect)).toBe(130);
    expect(master.decided).toEqual([]);
    expect(io.stderr).toBe('\nExiting gracefully on Ctrl-c\n');
  });
});

describe('natrium-key refuses', () => {
  it('two actions at once, and words beside a decision', async () => {
    expect(await key(['-a', 'x', '-d', 'y'])).toMatchObject({ exit: 2, connected: 0 });
    expect(await key(['-L', '-a', 'web1', '-y'])).toMatchObject({ exit: 2, connected: 0, decided: [] });
    expect(await key(['-a', 'web1', 'web2'])).toMatchObject({ exit: 2, connected: 0 });
    expect(await key(['--gen-keys', 'x', 'y'])).toMatchObject({ exit: 2, connected: 0 });
    expect(await key(['-L', 'web1'])).toMatchObject({ exit: 0 });
  });

  it('what the master refuses, with its sentence', async () => {
    const keysRefused = refusal('not_permitted', 'account joe may not see keys.');
    expect(await key(['-A', '-y'], { keysRefused })).toMatchObject({
      exit: 13,
      out: '',
      err: 'account joe may not see keys.\n',
      decided: [],
    });
  });

  it('what is not built yet', async () => {
    expect(await key(['--gen-signature'])).toMatchObject({ exit: 64, connected: 0 });
    expect(await key(['--signature-path', '/x', '--priv=a', '--pub', 'b'])).toMatchObject({
      exit: 64,
      err: 'natrium-key: --signature-path, --priv, --pub are not built yet; nothing was done.\n',
    });
  });

  it.each(['--eauth', '--auth', '--external-auth'])('a login with %s, which is not built yet', async (flag) => {
    const login = [`${flag}=pam`, '--username', 'joe', '--password', 'x', '-T'];
    const { exit, err, decided } = await key(['-A', '-y', ...login]);
    expect({ exit, decided }).toEqual({ exit: 64, decided: [] });
    expect(err).toBe(
      'natrium-key: --auth, --username, --password, --make-token are not built yet; nothing was done.\n',
    );
  });

  it('an empty --fingerprint, with which every key would begin', async () => {
    for (const argv of [
      ['-a', 'web1', '-y', '--fingerprint='],
      ['-l', 'all', '--fingerprint='],
    ]) {
      const { exit, err, connected, decided } = await key(argv);
      expect({ exit, connected, decided }).toEqual({ exit: 2, connected: 0, decided: [] });
      expect(err).toContain('option --fingerprint: name the fingerprint, or how it begins');
    }
  });

  it('any hash of fingerprints but sha256', async () => {
    expect((await key(['-F', '--finger-hash', 'md5'])).err).toContain('sha256 is the only hash of fingerprints');
    expect(await key(['-F', '--finger-hash', 'md5'])).toMatchObject({ exit: 2, connected: 0 });
    expect(await key(['-F', '--finger-hash', 'sha256'])).toMatchObject({ exit: 0 });
  });
});

describe('natrium-key --gen-keys', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'nt-gen-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const gen = (name: string) => key(['--gen-keys', name, '--gen-keys-dir', folder]);

  it('makes a key that a minion can use, shows its fingerprint, and asks no master', async () => {
    const { exit, out, connected } = await gen('web9');
    expect({ exit, connected }).toEqual({ exit: 0, connected: 0 });
    const identity = readIdentity(join(folder, 'web9.key'));
    expect(readFileSync(join(folder, 'web9.pub'), 'utf8')).toBe(`${toHex(identity?.publicKey ?? new Uint8Array())}\n`);
    expect(out).toContain(`web9:  ${fingerprint(identity?.publicKey ?? new Uint8Array())}\n`);
    expect(statSync(join(folder, 'web9.key')).mode & 0o777).toBe(0o600);
  });

  it('never replaces one', async () => {
    await gen('web9');
    const before = readFileSync(join(folder, 'web9.key'), 'utf8');
    expect(await gen('web9')).toMatchObject({ exit: 1, out: '' });
    expect(readFileSync(join(folder, 'web9.key'), 'utf8')).toBe(before);
  });

  it('ends where no folder can be made, with a sentence', async () => {
    const { exit, err } = await key(['--gen-keys', 'web9', '--gen-keys-dir', '/proc/none']);
    expect({ exit, err }).toMatchObject({
      exit: 2,
      err: expect.stringMatching(/--gen-keys-dir: .*\/proc\/none/) as string,
    });
  });

  it.each(['../x', '', 'a/b'])('refuses the name %j', async (name) => {
    expect(await gen(name)).toMatchObject({ exit: 2 });
    expect(readdirSync(folder)).toEqual([]);
  });
});
