/** A port on loopback that nobody listens on now. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const TRIES = 50;
/** Below those that the kernel gives to whoever connects, so that nobody takes one before it is listened on. */
const FIRST = 20_000;
const PLACES = 12_000;

export function freePort(): Promise<number> {
  return freePorts(1);
}

/** The first of `count` free ports in a row. */
export async function freePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const first = FIRST + randomInt(PLACES);
    const row = Array.from({ length: count }, (_, n) => first + n);
    const free = await Promise.allSettled(row.map(portIfFree));
    if (free.every(({ status }) => status === 'fulfilled')) return first;
  }
  throw new Error(`no ${String(count)} free ports in a row were found`);
}

function portIfFree(wanted: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(wanted, '127.0.0.1', () => {
      server.close(() => {
        resolve();
      });
    });
  });
}
