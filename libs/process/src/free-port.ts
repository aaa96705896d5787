/** Ports of loopback that nobody listens on now. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** On a command line: whichever is free. */
export const ANY_PORT = 0;

const HOST = '127.0.0.1';
/** Below the ports that the kernel gives to outgoing connections, so that none of these takes a free one before it is listened on. */
const FIRST = 20_000;
const PLACES = 12_000;
const TRIES = 50;

/**
 * @param count So many in a row are wanted.
 * @returns The first of them. @throws {Error} When none is found.
 */
export async function freePort(count = 1): Promise<number> {
  for (let attempt = 1; count <= PLACES && attempt <= TRIES; attempt += 1) {
    const first = FIRST + randomInt(PLACES - count + 1);
    const row = Array.from({ length: count }, (_, n) => first + n);
    if ((await Promise.all(row.map(isFree))).every((is) => is)) return first;
  }
  throw new Error(count === 1 ? 'no free port was found' : `no ${String(count)} free ports in a row were found`);
}

export function isFree(port: number): Promise<boolean> {
  return listenedOn(port).then(
    () => true,
    () => false,
  );
}

function listenedOn(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, HOST, () => {
      server.close(() => {
        resolve();
      });
    });
  });
}
