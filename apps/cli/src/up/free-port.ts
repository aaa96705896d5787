/** Ports of this machine that nobody listens on. */
import { createServer } from 'node:net';

/** On a command line: whichever is free. */
export const ANY_PORT = 0;

const HOST = '127.0.0.1';
const LAST = 65_535;
const TRIES = 20;

/**
 * @param count So many in a row are wanted.
 * @returns The first of them. @throws {Error} When none is found.
 */
export async function freePort(count = 1): Promise<number> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const first = await listening(ANY_PORT);
    const others = Array.from({ length: count - 1 }, (_, n) => first + n + 1);
    if (others.every((port) => port <= LAST) && (await Promise.all(others.map(isFree))).every((is) => is)) return first;
  }
  throw new Error(count === 1 ? 'no free port was found' : `no ${String(count)} free ports in a row were found`);
}

export function isFree(port: number): Promise<boolean> {
  return listening(port).then(
    () => true,
    () => false,
  );
}

/** @returns The port on which a server has listened for a moment. */
function listening(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, HOST, () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('a server has no port'));
        else resolve(address.port);
      });
    });
  });
}
