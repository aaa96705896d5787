/** Rules of how programs start: with what V8 compiled when they were built, and without it wherever it is not of this program. */
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEAN_AGENT, ROOMY_GATEWAY, SMALL_SERVICE } from '../apps/cli/src/up/process-flags.js';
import { askCompiled, isRefused } from '../tests/support/compiled-program.js';
import { BUILT } from '../tests/support/places.js';
import { runProgram } from '../tests/support/run-program.js';

const folder = mkdtempSync(join(tmpdir(), 'nt-start-program-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function refusal(at: string, name: string, flags: readonly string[] = []): Promise<boolean | undefined> {
  return isRefused((await runProgram(process.execPath, [...flags, '-e', askCompiled(at, name)])).stdout);
}

it.each([
  ['master-gateway', ROOMY_GATEWAY],
  ['acl-service', SMALL_SERVICE],
  ['runner-service', SMALL_SERVICE],
  ['event-sink', { flags: [] }],
  ['minion-agent', LEAN_AGENT],
])(
  'V8 takes what it has compiled of %s, as that is started, and compiles it anew with other flags',
  async (app, how) => {
    expect(await refusal(join(BUILT, app), 'main', how.flags)).toBe(false);
    expect(await refusal(join(BUILT, app), 'main', [...how.flags, '--stack-size=900'])).toBe(true);
  },
);

const COMMANDS = ['natrium', 'natrium-call', 'natrium-key', 'natrium-run', 'natriumctl'];

it.each(COMMANDS)('V8 takes what it has compiled of %s', async (name) => {
  expect(await refusal(join(BUILT, 'cli'), name)).toBe(false);
});

const version = async (commands: string, ...flags: readonly string[]) =>
  runProgram(process.execPath, [...flags, join(commands, 'natrium.mjs'), '--version']);

const AS_EVER = { code: 0, stdout: expect.stringMatching(/^natrium \d/), stderr: '' };

describe('a command', () => {
  let commands: string;
  const keptFile = () => join(commands, 'natrium.v8');

  beforeEach(() => {
    commands = join(folder, 'cli');
    rmSync(commands, { recursive: true, force: true });
    cpSync(join(BUILT, 'cli'), commands, { recursive: true });
  });

  /** What V8 made, and what `start-program.cjs` wants to see behind it. */
  function kept(): { bytes: Buffer; mark: string } {
    const bytes = readFileSync(keptFile());
    const mark = / \w{16} v[\d.]+ \w+ \d+$/.exec(bytes.toString('latin1'))?.[0] ?? 'none';
    return { bytes: bytes.subarray(0, -mark.length), mark };
  }

  it.each([
    ['half of it', (bytes: Buffer) => bytes.subarray(0, 100_000)],
    ['nothing', () => Buffer.alloc(0)],
    ['zeros', () => Buffer.alloc(500_000)],
    ['what is none', () => Buffer.from('junk '.repeat(1000))],
  ])('runs as ever where what was kept holds %s', async (_, damaged) => {
    const { bytes, mark } = kept();
    writeFileSync(keptFile(), damaged(bytes));
    expect(await refusal(commands, 'natrium')).toBeUndefined();
    writeFileSync(keptFile(), Buffer.concat([damaged(bytes), Buffer.from(mark)]));
    expect(await refusal(commands, 'natrium')).toBe(true);
    expect(await version(commands)).toMatchObject(AS_EVER);
  });

  it.each([
    ['by another Node', process.version, 'v20.0.0'],
    ['for another processor', ` ${process.arch} `, ' mips '],
    ['by a Node of another distribution', /\d+$/, '1'],
  ])('runs as ever where it was compiled %s', async (_, part, other) => {
    const { bytes, mark } = kept();
    expect(mark).toMatch(part);
    writeFileSync(keptFile(), Buffer.concat([bytes, Buffer.from(mark.replace(part, other))]));
    expect(await refusal(commands, 'natrium')).toBeUndefined();
    expect(await version(commands)).toMatchObject(AS_EVER);
  });

  it('runs as ever where nothing was kept', async () => {
    rmSync(keptFile());
    expect(await refusal(commands, 'natrium')).toBeUndefined();
    expect(await version(commands)).toMatchObject(AS_EVER);
  });

  it('keeps what V8 compiles once more where it is told to', async () => {
    writeFileSync(keptFile(), 'of another Node');
    const { code, stderr } = await runProgram(process.execPath, [join(commands, 'keep-compiled.cjs')]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await refusal(commands, 'natrium')).toBe(false);
    expect(readdirSync(commands)).toEqual(readdirSync(join(BUILT, 'cli')));
  });

  it('that does not start is named by who keeps what V8 compiles, and nothing is left of the one before', async () => {
    writeFileSync(join(commands, 'natrium.cjs'), 'syntax error');
    const { code, stderr } = await runProgram(process.execPath, [join(commands, 'keep-compiled.cjs')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keep-compiled: natrium -c CLUSTER \* test\.ping kept nothing: [\s\S]*SyntaxError/);
    expect(readdirSync(commands)).not.toContain('natrium.v8');
  });

  it('that was built anew does not take what was kept of the one before, though it is as long', async () => {
    const file = join(commands, 'natrium.cjs');
    const changed = readFileSync(file, 'latin1').replaceAll('Sodium', 'Kalium').slice(0, -16);
    writeFileSync(file, changed);
    appendFileSync(file, '0123456789abcdef');
    expect(await refusal(commands, 'natrium')).toBeUndefined();
    expect(await version(commands)).toMatchObject({ stdout: expect.stringContaining('(Kalium)') });
  });

  it('is loaded by Node where it is told to follow source maps, so that errors name the sources', async () => {
    expect(await version(commands, '--enable-source-maps')).toMatchObject(AS_EVER);
    const file = join(commands, 'natrium.cjs');
    writeFileSync(file, readFileSync(file, 'latin1').replace('const __url', 'process.exit(9); $&'));
    const followed = await runProgram(process.execPath, ['--enable-source-maps', join(commands, 'natrium.mjs')]);
    expect(followed.code).toBe(9);
  });
});
