/** A Unix socket that only those may open whom it is for, from the first moment that it is there. */
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '@natrium/model';
import { shortSocketPath } from '@natrium/process';

export interface SocketPlace {
  readonly path: string;
  /** 0600: its owner only. */
  readonly mode?: number;
  /** Another owner than this process; only root can give one. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

const OWNER_ONLY = 0o600;
/** Events of one connection that were fired and are not stored yet: with so many, nothing more is read from it until half of them are. */
export const MAX_UNSETTLED = 2000;

export interface UnixServer {
  /** Whether its path still leads to it: another may have put its own socket there since. */
  inPlace(): boolean;
  /** Ends its connections; a socket that another has put in its place stays. */
  close(): void;
}

export interface ListenOptions {
  /** Whoever has said all still hears answers: the connection is ended by whoever serves it. */
  readonly allowHalfOpen?: boolean;
}

/**
 * Listens at a place; a socket that lies there is replaced in one step.
 *
 * @throws {Error} When the name alone is too long, the folder cannot be written, or the owner not given; then nothing is left there.
 */
export async function listenAt(
  place: SocketPlace,
  onConnection: (socket: Socket) => void,
  { allowHalfOpen = false }: ListenOptions = {},
): Promise<UnixServer> {
  const { path, mode = OWNER_ONLY, owner } = place;
  // It is made under a name of its own, so that nobody can open it before its mode is right.
  const made = join(dirname(path), `.${randomBytes(3).toString('hex')}.${basename(path)}`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    onConnection(socket);
  });
  await listenForOwner(server, made);
  let own: bigint | undefined;
  try {
    if (owner !== undefined) chownSync(made, owner.uid, owner.gid);
    chmodSync(made, mode);
    own = inodeAt(made);
    renameSync(made, path);
  } catch (cause) {
    server.close();
    remove(made);
    throw cause;
  }
  const inPlace = () => own !== undefined && inodeAt(path) === own;
  return {
    inPlace,
    close: () => {
      if (inPlace()) remove(path);
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** No other file is given that of a socket on which somebody listens. */
function inodeAt(path: string): bigint | undefined {
  try {
    return statSync(path, { bigint: true }).ino;
  } catch {
    return undefined; // nothing there, or nothing that this process may see
  }
}

/** One that stays, since its disk cannot be written, is replaced by the next to listen there. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Nobody listens on it any more.
  }
}

/**
 * Listens at a path that only its owner may open. The socket is made before this returns: whoever else is at work in this process keeps
 * the umask.
 */
export function listenForOwner(server: Server, path: string): Promise<void> {
  const short = shortSocketPath(path);
  server.once('close', short.release).once('error', short.release);
  const before = process.umask(0o177);
  try {
    return new Promise<void>((resolve, reject) => {
      const failed = (error: Error) => {
        // The system's words name a file that never was, or what stands for its folder.
        error.message = `no socket can be made in ${dirname(path)} (${codeOf(error) ?? error.message})`;
        reject(error);
      };
      server.once('error', failed).listen(short.path, resolve);
    });
  } finally {
    process.umask(before);
  }
}

/** Resolves when the other side has taken what was written, or is gone. */
export function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.once('drain', done);
    socket.once('close', done);
  });
}
