/** A program that the bootstrap starts does not outlive it, not even a bootstrap that was killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { program } from './programs.mjs';

it('ends with a parent that gets SIGKILL', async () => {
  const args = program('-e', 'console.log(process.pid); setInterval(() => {}, 1e6)');
  const start = `require('child_process').spawn(${JSON.stringify(process.execPath)}, ${JSON.stringify(args)}, { stdio: 'inherit' })`;
  const parent = spawn(process.execPath, ['-e', start], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
  parent.kill('SIGKILL');
  try {
    // The child holds the other end.
    await once(parent.stdout, 'close', { signal: AbortSignal.timeout(4_000) });
  } catch (error) {
    process.kill(Number(pid), 'SIGKILL'); // else jest would wait for it for ever
    throw error;
  }
});
