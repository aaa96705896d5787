/** The commands as processes, as they were built. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '@natrium/testing';

it('a command whose reader is gone ends as one that SIGPIPE ended, and never with 0', async () => {
  const child = spawn(process.execPath, ['dist/cli/natrium.mjs', '-h'], { stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.destroy();
  expect(await once(child, 'exit')).toEqual([141, null]);
});

it.each([
  [{}, 80],
  [{ COLUMNS: '100' }, 100],
  [{ COLUMNS: 'wide' }, 80],
])('without a terminal a help is as wide as %j says', (env, columns) => {
  const { stdout } = spawnSync(process.execPath, ['dist/cli/natrium.mjs', '-h'], { encoding: 'utf8', env });
  const [options = ''] = stdout.split('\nExamples:');
  const longest = Math.max(...options.split('\n').map((line) => line.length));
  expect(longest).toBeLessThanOrEqual(columns);
  expect(longest).toBeGreaterThan(columns - 10);
});

it('a command whose sentences nobody reads goes on with its results', async () => {
  const child = spawn(process.execPath, ['dist/cli/natrium.mjs', '*'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.destroy();
  child.stdout.resume();
  expect(await once(child, 'exit')).toEqual([42, null]);
});

it('a file that cannot be written is no fault of the program: a sentence says why, and the code is 1', async () => {
  const words = ['dist/cli/natrium.mjs', '--config-dump', '--out-file', '/dev/full'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => (said += String(text)));
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said).toMatch(/^the output cannot be written: ENOSPC/);
});

it('a folder as stdin is no list of words: it is a usage error', () => {
  const folder = openSync(tmpdir(), 'r');
  const words = ['dist/cli/natrium.mjs', '--args-stdin', '*', 'test.ping'];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', stdio: [folder, 'pipe', 'pipe'] });
  closeSync(folder);
  expect(stderr).toMatch(/natrium: error: option --args-stdin: stdin cannot be read: it is a folder\n$/);
  expect(status).toBe(2);
});

it.each([
  [
    '*',
    'caf\\351',
    [2, 'natrium: error: word 4 of the command line is not UTF-8: set the terminal or the script to UTF-8\n'],
  ],
  ['*', '\\357\\277\\275', [0, '']],
])(
  'a word that is not UTF-8 is refused by its place; one that says U+FFFD itself is not: %s %s',
  (target, word, answer) => {
    const script = `exec "$0" dist/cli/natrium.mjs --config-dump "$1" test.echo "$(printf '${word}')"`;
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, target], { encoding: 'utf8' });
    expect([status, stderr]).toEqual(answer);
  },
);

it('lines of stdin that are not UTF-8 are no words', () => {
  const words = ['dist/cli/natrium.mjs', '--args-stdin', '*', 'test.echo'];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', input: Buffer.from('caf\xe9\n', 'latin1') }); // prettier-ignore
  expect(stderr).toMatch(/natrium: error: option --args-stdin: stdin cannot be read: it is no UTF-8 text\n$/);
  expect(status).toBe(2);
});

it('a stdin that cannot be read, as nohup leaves one, answers no question of a login', () => {
  const unreadable = openSync('/dev/null', 'w');
  const words = ['dist/cli/natrium.mjs', '-a', 'pam', '*', 'test.ping'];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', stdio: [unreadable, 'pipe', 'pipe'] });
  closeSync(unreadable);
  expect(stderr).toMatch(/no username was given\n$/);
  expect(status).toBe(13);
}); // prettier-ignore

describe('natrium-call', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'call-'))));
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['SIGINT', [130, null]],
    ['SIGTERM', [143, null]],
    ['SIGHUP', [null, 'SIGHUP']],
  ] as const)('that %s ends leaves no program running, and no file of its code', async (signal, exit) => {
    writeFileSync(join(folder, 'minion'), `id: web1\nroot_dir: ${folder}\nsock_dir: ${folder}\n`);
    const file = join(folder, 'began');
    const code = `echo "$$ $0" > ${file}.new; mv ${file}.new ${file}; sleep 60; true`;
    const words = ['dist/cli/natrium-call.mjs', '-c', folder, '--local', 'cmd.exec_code', 'sh', code];
    const child = spawn(process.execPath, words, { stdio: 'ignore' });
    const ended = once(child, 'exit');
    const said = await until('it runs', () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined));
    child.kill(signal);
    expect(await ended).toEqual(exit);
    const [group = '', script = ''] = said.trim().split(' ');
    expect(script).toMatch(/^\/tmp\/natrium-script-/);
    expect(existsSync(dirname(script))).toBe(false);
    expect(() => process.kill(Number(group), 0)).toThrow('ESRCH');
  });
});

/** By the files in `bin/`, which begin in a shell: only that can tell what `nohup` has set. */
describe('a command whose terminal is closed', () => {
  let [folder, begun] = ['', ''];
  let gate: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hup-'));
    begun = join(folder, 'begun');
    writeFileSync(join(folder, 'minion'), `id: web1\nroot_dir: ${folder}\nsock_dir: ${folder}\n`);
    execFileSync('mkfifo', [join(folder, 'gate')]);
    // For reading as well: opening it waits for nobody.
    gate = openSync(join(folder, 'gate'), 'r+');
  });
  afterEach(() => {
    closeSync(gate);
    rmSync(folder, { recursive: true });
  });

  /** Of a function that runs until something is written into the gate. */
  const closedWhileItRuns = async (before: string) => {
    const function_ = `echo > ${begun}; read line < ${folder}/gate; echo "$line \${NATRIUM_SIGHUP-not told}"`;
    const words = ['-c', folder, '--local', '--out=newline_values_only', 'cmd.run', function_, 'python_shell=True'];
    const child = spawn('sh', ['-c', `${before} exec bin/natrium-call "$@"`, 'sh', ...words], { stdio: ['ignore', 'pipe', 'ignore'] }); // prettier-ignore
    let said = '';
    child.stdout.on('data', (text) => (said += String(text)));
    const ended = once(child, 'close');
    await until('it runs', () => (existsSync(begun) ? true : undefined));
    child.kill('SIGHUP');
    return { ended, said: () => said };
  };

  it('goes on under nohup, and what it has started is not told of it', async () => {
    const { ended, said } = await closedWhileItRuns("trap '' HUP;");
    writeFileSync(gate, 'gone on\n');
    expect(await ended).toEqual([0, null]);
    expect(said()).toBe('gone on not told\n');
  });

  it('ends without it', async () => {
    const { ended, said } = await closedWhileItRuns('');
    expect(await ended).toEqual([null, 'SIGHUP']);
    expect(said()).toBe('');
  });
});

describe('a file that takes only a part', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'part-'))));
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['stdout', '> "$0"'],
    ['--out-file', '--out-file "$0" > /dev/null'],
  ])('fails the command, and does not look complete: %s', (_, where) => {
    const file = join(folder, 'out');
    // Of a file that may have no more than one block, as on a full disk, the system takes the first bytes without an error.
    const script = `ulimit -f 1; exec "$1" dist/cli/natrium.mjs --config-dump ${where}`;
    const { status, stderr } = spawnSync('sh', ['-c', script, file, process.execPath], { encoding: 'utf8' });
    expect(stderr).toMatch(/^the output cannot be written: EFBIG/);
    expect(status).toBe(1);
    expect([512, 1024]).toContain(statSync(file).size);
  });
});
