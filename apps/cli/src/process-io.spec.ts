/** The commands as processes, as they were built. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

it('a command whose reader is gone ends as one that SIGPIPE ended, and never with 0', async () => {
  const child = spawn(process.execPath, ['dist/cli/natrium.mjs', '-h'], { stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.destroy();
  expect(await once(child, 'exit')).toEqual([141, null]);
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
