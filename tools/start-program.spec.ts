/** Rules of how programs start: with what V8 compiled when they were built, and without it wherever it is not of this program. */
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEAN_AGENT, ROOMY_GATEWAY, SMALL_SERVICE } from '../apps/cli/src/up/process-flags.js';
import { BUILT } from '../tests/support/places.js';
import { runProgram } from '../tests/support/run-program.js';

const folder = mkdtempSync(join(tmpdir(), 'nt-start-program-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const STARTER = 'start-program.cjs';

/** Whether V8 refuses what was kept of a program; undefined when nothing was. */
async function isRefused(at: string, name: string, flags: readonly string[] = []): Promise<unknown> {
  const script = `const { compileProgram } = require(${JSON.stringify(join(at, STARTER))});
    console.log(JSON.stringify({ refused: compileProgram(${JSON.stringify(at)}, '${name}').script.cachedDataRejected }));`;
  const { stdout } = await runProgram(process.execPath, [...flags, '-e', script]);
  return (JSON.parse(stdout) as { refused?: boolean }).refused;
}

it.each([
  ['master-gateway', ROOMY_GATEWAY],
  ['acl-service', SMALL_SERVICE],
  ['runner-service', SMALL_SERVICE],
  ['event-sink', SMALL_SERVICE],
  ['minion-agent', LEAN_AGENT],
])(
  'V8 takes what it has compiled of %s, as that is started, and compiles it anew with other flags',
  async (app, how) => {
    expect(await isRefused(join(BUILT, app), 'main', how.flags)).toBe(false);
    expect(await isRefused(join(BUILT, app), 'main', [...how.flags, '--stack-size=900'])).toBe(true);
  },
);

const COMMANDS = ['natrium', 'natrium-call', 'natrium-key', 'natrium-run', 'natriumctl'];

it.each(COMMANDS)('V8 takes what it has compiled of %s', async (name) => {
  expect(await isRefused(join(BUILT, 'cli'), name)).toBe(false);
});

const version = async (commands: string, ...flags: readonly string[]) =>
  runProgram(process.execPath, [...flags, join(commands, 'natrium.mjs'), '--version']);

const AS_EVER = { code: 0, stdout: expect.stringMatching(/^natrium \d/), stderr: '' };

describe('a command', () => {
  let commands: string;
  const keptFile = () =>
    join(commands, readdirSync(commands).find((name) => /^natrium\.\w+\.v8$/.test(name)) ?? 'none');

  beforeEach(() => {
    commands = join(folder, 'cli');
    rmSync(commands, { recursive: true, force: true });
    cpSync(join(BUILT, 'cli'), commands, { recursive: true });
  });

  it.each([
    ['half of it', () => readFileSync(keptFile()).subarray(0, 100_000)],
    ['nothing', () => Buffer.alloc(0)],
    ['zeros', () => Buffer.alloc(500_000)],
    ['what is none', () => Buffer.from('junk '.repeat(1000))],
  ])('runs as ever where what was kept holds %s', async (_, bytes) => {
    writeFileSync(keptFile(), bytes());
    expect(await isRefused(commands, 'natrium')).toBe(true);
    expect(await version(commands)).toMatchObject(AS_EVER);
  });

  it('runs as ever where nothing was kept', async () => {
    rmSync(keptFile());
    expect(await isRefused(commands, 'natrium')).toBeUndefined();
    expect(await version(commands)).toMatchObject(AS_EVER);
  });

  it('that was built anew does not take what was kept of the one before, though it is as long', async () => {
    const file = join(commands, 'natrium.cjs');
    const changed = readFileSync(file, 'latin1').replaceAll('Sodium', 'Kalium').slice(0, -16);
    writeFileSync(file, changed);
    appendFileSync(file, '0123456789abcdef');
    expect(await isRefused(commands, 'natrium')).toBeUndefined();
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
