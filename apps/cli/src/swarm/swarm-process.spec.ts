import { fileURLToPath } from 'node:url';
import { SwarmProcess } from './swarm-process.js';

const HEARING = { onProgress: () => undefined, onLost: () => undefined, onLine: () => undefined };
/** A program that ends at once. */
const ENDS = fileURLToPath(new URL('./no-such-program.mjs', import.meta.url));

it('an order to a process that has ended fails, before its end is known and after', async () => {
  const share = { prefix: 'x', from: 1, count: 1, answerDelayMs: 0 };
  const swarm = new SwarmProcess('swarm.1', '/nowhere', share, HEARING, ENDS);
  await expect(swarm.begin()).rejects.toThrow('swarm.1 ended: exit status 1');
  await expect(swarm.come()).rejects.toThrow('swarm.1 ended: exit status 1');
});
