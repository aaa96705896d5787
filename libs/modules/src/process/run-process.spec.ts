/** Rules of starting a program where this process has come to a limit of its own: the call fails, and nothing else does. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Takes every descriptor that it may have, runs a program, and says what came of it and that it is still there. */
const PROGRAM = `
import { openSync } from 'node:fs';
import { runProcess } from './run-process.mjs';
const ask = {
  file: '/bin/true', args: [], cwd: '/', env: {}, stdin: 'x', merged: false, timeoutMs: 5000,
  signal: new AbortController().signal, lifeline: process.argv[2] === 'lifeline',
};
console.log('begun');
try { for (;;) openSync('/dev/null'); } catch (error) { console.log(error.code); }
runProcess(ask).then(() => console.log('ran'), (error) => console.log(error.message));
setTimeout(() => console.log('alive'), 200);
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-run-process-'));
  writeFileSync(join(folder, 'program.mjs'), PROGRAM);
  const bundled = ['--bundle', '--platform=node', '--format=esm', `--outfile=${join(folder, 'run-process.mjs')}`];
  const esbuild = here('../../../../node_modules/.bin/esbuild');
  const { status, stderr } = spawnSync(esbuild, [here('./run-process.ts'), ...bundled], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it.each(['plain', 'lifeline'])(
  'a program that no descriptor is left for (%s) fails its own call, and this process goes on',
  (how) => {
    const words = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, join(folder, 'program.mjs'), how];
    const { stdout, stderr, status } = spawnSync('/bin/sh', words, { encoding: 'utf8' });
    expect({ said: stdout.trim().split('\n'), stderr, status }).toEqual({
      said: ['begun', 'EMFILE', 'spawn /bin/true EMFILE', 'alive'],
      stderr: '',
      status: 0,
    });
  },
);
