/** What lies beside a program: with either libsodium it does the same, what is seldom used is read when it is, and what is missing is named. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT, inRoot } from '../tests/support/places.js';
import { runProgram } from '../tests/support/run-program.js';

const folder = mkdtempSync(join(tmpdir(), 'nt-build-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The commands without some of what lies beside them. */
function commandsWithout(name: string, isMissing: (file: string) => boolean): string {
  const commands = join(folder, name);
  cpSync(join(BUILT, 'cli'), commands, { recursive: true, filter: (file) => !isMissing(file) });
  return commands;
}

async function makeKey(commands: string, key: string) {
  const words = [join(commands, 'natrium-key.mjs'), `--gen-keys=${key}`, `--gen-keys-dir=${folder}`];
  const { code, stderr } = await runProgram(process.execPath, words);
  return { code, stderr, made: readdirSync(folder).filter((file) => file.startsWith(`${key}.`)) };
}

async function lint(commands: string, pattern: string) {
  const policy = join(folder, 'policy');
  writeFileSync(policy, `peer:\n  web1:\n    - ${pattern}\n`);
  const words = [join(commands, 'natriumctl.mjs'), 'acl', 'lint', '-c', folder, '--offline', policy];
  const { code, stderr } = await runProgram(process.execPath, words);
  return { code, stderr };
}

const isNative = (file: string) => file.endsWith('.node');
const isWasm = (file: string) => file.endsWith('.wasm.base64');

it('a program has the native libsodium of this platform beside it, and reads no WebAssembly then', async () => {
  const made = await makeKey(commandsWithout('native', isWasm), 'a');
  expect(made).toMatchObject({ code: 0, made: ['a.key', 'a.pub'] });
});

it('where there is no native one, it runs with the WebAssembly', async () => {
  const made = await makeKey(commandsWithout('wasm', isNative), 'b');
  expect(made).toMatchObject({ code: 0, made: ['b.key', 'b.pub'] });
});

it('without both it makes nothing, and names the file that is missing', async () => {
  const made = await makeKey(
    commandsWithout('none', (file) => isNative(file) || isWasm(file)),
    'c',
  );
  expect(made).toMatchObject({ code: 70, made: [], stderr: expect.stringContaining('libsodium.wasm.base64') });
});

it('the engine of regular expressions is read for a pattern that needs it, and for no other', async () => {
  const commands = commandsWithout('no-engine', (file) => file.endsWith('re2js.cjs'));
  expect(await lint(commands, String.raw`test\.ping$`)).toMatchObject({ code: 0 });
  expect(await lint(join(BUILT, 'cli'), String.raw`te{1,2}st\.ping$`)).toMatchObject({ code: 0 });
  const missing = await lint(commands, String.raw`te{1,2}st\.ping$`);
  expect(missing).toMatchObject({ code: 70, stderr: expect.stringContaining("Cannot find module './re2js.cjs'") });
});

const textOf = (file: string) => readFileSync(join(BUILT, file), 'latin1');

it.each([
  ['tweetnacl', 'no PRNG'],
  ['thread-stream', 'end() took too long'],
])('what the agent never asks of its libraries is not in its memory, but beside it: %s', (name, words) => {
  const files = ['minion-agent/main.cjs', `minion-agent/${name}.cjs`, 'acl-service/main.cjs'];
  expect(files.map((file) => textOf(file).includes(words))).toEqual([false, true, true]);
});

it.each(['master-gateway', 'acl-service', 'runner-service', 'event-sink', 'minion-agent'])(
  'the text of %s is ASCII: V8 holds it for as long as it runs, and all of it twice as wide for one other letter',
  (program) => {
    expect(/[^\x00-\x7f]/.exec(textOf(`${program}/main.cjs`))).toBeNull();
  },
);

it.each([
  ['master-gateway', true],
  ['acl-service', false],
  ['runner-service', false],
  ['event-sink', false],
])('who serves HTTP holds Express, and nobody else: %s, %s', (program, holds) => {
  expect(textOf(`${program}/main.cjs.map`).includes('node_modules/express/lib/express.js')).toBe(holds);
});

const withNode = (version: string) => [
  '--import',
  `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`,
];

describe('a program that an older Node has loaded', () => {
  it.each(['cli/natrium.mjs', 'cli/natriumctl.mjs', 'master-gateway/main.mjs', 'minion-agent/main.mjs'])(
    'says so and does nothing: %s',
    async (file) => {
      const { engines } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')) as { engines: { node: string } };
      const words = [...withNode('18.20.4'), join(BUILT, file), '--version'];
      const stderr = `natrium: this is Node 18.20.4; Natrium needs ${engines.node}\n`;
      expect(await runProgram(process.execPath, words)).toMatchObject({ code: 70, stdout: '', stderr });
    },
  );

  it.each([
    ['20.18.3', 70],
    ['20.19.0', 0],
    ['22.0.0', 0],
  ])('ends for %s with %i', async (version, code) => {
    const words = [...withNode(version), join(BUILT, 'cli/natrium.mjs'), '--version'];
    expect(await runProgram(process.execPath, words)).toMatchObject({ code });
  });
});
