/** A program that the bootstrap starts does not outlive it, not even a bootstrap that was killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inRoot } from './programs.mjs';

it('ends with a parent that gets SIGKILL', async () => {
  const child = [
    process.execPath,
    '--import',
    inRoot('tools/lifeline.mjs'),
    '-e',
    'console.log("up"); setInterval(() => {}, 1e6)',
  ];
  const start = `require('child_process').spawn(${JSON.stringify(child[0])}, ${JSON.stringify(child.slice(1))}, { stdio: 'inherit' })`;
  const parent = spawn(process.execPath, ['-e', start], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(parent.stdout, 'data');
  parent.kill('SIGKILL');
  await once(parent.stdout, 'close'); // the child holds the other end
});
