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
