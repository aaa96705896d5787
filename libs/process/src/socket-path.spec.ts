/** Rules of sockets in folders with long names. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectToSocket, shortSocketPath } from './socket-path.js';

const LONG = 'a-folder-with-a-name-of-fifty-letters-and-no-more-x'.padEnd(120, 'x');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-sockets-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function inFolder(name: string): string {
  mkdirSync(join(folder, name));
  return join(folder, name, 'minion.sock');
}

async function listening(path: string): Promise<Server> {
  const short = shortSocketPath(path);
  const server = createServer((socket) => socket.end('here'))
    .once('close', short.release)
    .listen(short.path);
  await once(server, 'listening');
  return server;
}

/** What is said there, or why nothing is. */
function saidAt(path: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectToSocket(path);
    socket.on('data', (chunk: Buffer) => { resolve(chunk.toString()); }); // prettier-ignore
    socket.on('error', ({ message }) => { resolve(message); }); // prettier-ignore
  });
}

/** Descriptors of this process that lead into the folder. */
function open(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const target = readlinkSync(join('/proc/self/fd', name));
      return target.startsWith(folder) ? [target] : [];
    } catch {
      return []; // the one that was reading
    }
  });
}

it.each(['short', LONG])(
  'a socket is reached in a folder that is called %s, and is gone when it is closed',
  async (name) => {
    const path = inFolder(name);
    const server = await listening(path);
    expect(await saidAt(path)).toBe('here');
    await new Promise((resolve) => server.close(resolve));
    expect(readdirSync(join(folder, name))).toEqual([]);
    expect(open()).toEqual([]);
  },
);

it('why nobody answers is told with the path that was asked for', async () => {
  const path = inFolder(LONG);
  expect(await saidAt(path)).toBe(`connect ENOENT ${path}`);
  expect(await saidAt(join(folder, LONG, 'none', 'minion.sock'))).toContain(`${join(folder, LONG, 'none')}'`);
  expect(open()).toEqual([]);
});

it('a name that is too long by itself is refused, with what mends it', () => {
  const path = join(folder, 'x'.repeat(100));
  expect(() => shortSocketPath(path)).toThrow(
    `the socket path ${path} is longer than 107 bytes; set sock_dir to a shorter folder`,
  );
  expect(open()).toEqual([]);
});
