/** What lies beside a program: with either libsodium it does the same, and without both it says what is missing. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT } from '../tests/support/places.js';
import { runProgram } from '../tests/support/run-program.js';

const folder = mkdtempSync(join(tmpdir(), 'nt-build-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The commands without some of what lies beside them, as a program that makes a key. */
function commandsWithout(name: string, isMissing: (file: string) => boolean) {
  const commands = join(folder, name);
  cpSync(join(BUILT, 'cli'), commands, { recursive: true, filter: (file) => !isMissing(file) });
  return async (key: string) => {
    const words = [join(commands, 'natrium-key.mjs'), `--gen-keys=${key}`, `--gen-keys-dir=${folder}`];
    const { code, stderr } = await runProgram(process.execPath, words);
    return { code, stderr, made: readdirSync(folder).filter((file) => file.startsWith(`${key}.`)) };
  };
}

const isNative = (file: string) => file.endsWith('.node');
const isWasm = (file: string) => file.endsWith('.wasm.base64');

it('a program has the native libsodium of this platform beside it, and reads no WebAssembly then', async () => {
  const made = await commandsWithout('native', isWasm)('a');
  expect(made).toMatchObject({ code: 0, made: ['a.key', 'a.pub'] });
});

it('where there is no native one, it runs with the WebAssembly', async () => {
  const made = await commandsWithout('wasm', isNative)('b');
  expect(made).toMatchObject({ code: 0, made: ['b.key', 'b.pub'] });
});

it('without both it makes nothing, and names the file that is missing', async () => {
  const made = await commandsWithout('none', (file) => isNative(file) || isWasm(file))('c');
  expect(made).toMatchObject({ code: 70, made: [], stderr: expect.stringContaining('libsodium.wasm.base64') });
});
