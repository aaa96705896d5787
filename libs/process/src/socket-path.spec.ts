/** Rules of sockets in folders with long names, on Linux and where there is no /proc. */
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectToSocket, openSocketFolder, shortSocketPath } from './socket-path.js';

const LONG = 'x'.repeat(120);
const DESCRIPTORS = '/proc/self/fd';
const SYSTEMS = [['/proc', DESCRIPTORS], ['no /proc', '/no/descriptors']] as const; // prettier-ignore
const NOBODY = 65_534;

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

async function listening(path: string, descriptors: string): Promise<Server> {
  const short = shortSocketPath(path, descriptors);
  const server = createServer((socket) => socket.end('here'))
    .once('close', short.release)
    .listen(short.path);
  await once(server, 'listening');
  return server;
}

/** What is said there, or why nothing is. */
function saidAt(path: string, descriptors: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectToSocket(path, undefined, descriptors);
    socket.on('data', (chunk: Buffer) => { resolve(chunk.toString()); }); // prettier-ignore
    socket.on('error', ({ message }) => { resolve(message); }); // prettier-ignore
  });
}

/** Descriptors of this process and links that lead into the folder. */
function left(): readonly string[] {
  const links = readdirSync('/tmp').filter((name) => name.startsWith('nt-')).map((name) => join('/tmp', name, 'f')); // prettier-ignore
  const descriptors = readdirSync(DESCRIPTORS).map((name) => join(DESCRIPTORS, name));
  return [...links, ...descriptors].filter((link) => {
    try {
      return readlinkSync(link).startsWith(folder);
    } catch {
      return false; // another's, or the one that was reading
    }
  });
}

describe.each(SYSTEMS)('with %s', (_, descriptors) => {
  it.each([['a short name', 'run'], ['a long one', LONG]])('a socket is reached in a folder with %s, and is gone when it is closed', async (_about, name) => {
    const path = inFolder(name);
    const server = await listening(path, descriptors);
    expect(await saidAt(path, descriptors)).toBe('here');
    await new Promise((resolve) => server.close(resolve));
    expect(readdirSync(join(folder, name))).toEqual([]);
    expect(left()).toEqual([]);
  }); // prettier-ignore

  it('why nobody answers is told with the path that was asked for', async () => {
    const path = inFolder(LONG);
    expect(await saidAt(path, descriptors)).toBe(`connect ENOENT ${path}`);
    expect(await saidAt(join(folder, LONG, 'none', 'minion.sock'), descriptors)).toContain(`${join(folder, LONG, 'none')}'`);
    expect(left()).toEqual([]);
  }); // prettier-ignore

  it('a name that is too long by itself is refused', () => {
    const path = join(folder, 'x'.repeat(100));
    expect(() => shortSocketPath(path, descriptors)).toThrow(
      `the name of the socket ${path} is too long: a path of a socket has 103 bytes at most`,
    );
    expect(left()).toEqual([]);
  });

  it('a folder that one may pass and not read is good enough', async () => {
    const path = inFolder(LONG);
    const server = await listening(path, descriptors);
    chmodSync(folder, 0o711);
    chmodSync(join(folder, LONG), 0o711);
    chmodSync(path, 0o777);
    const own = process.geteuid?.();
    if (own === 0) process.seteuid?.(NOBODY);
    try {
      expect(await saidAt(path, descriptors)).toBe('here');
    } finally {
      if (own === 0) process.seteuid?.(own);
      server.close();
    }
  });

  it('of a folder of which two have the path each closes its own', () => {
    inFolder(LONG);
    const [one, other] = [LONG, LONG].map((name) => openSocketFolder(join(folder, name), descriptors));
    one?.close();
    one?.close();
    expect(left()).toHaveLength(1);
    other?.close();
    expect(left()).toEqual([]);
  });
});
