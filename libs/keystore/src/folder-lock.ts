/**
 * One process at a time for one use of a folder, whatever path or container it is reached from.
 *
 * Each listens on a socket file of its own in the folder and then tries those of others. A socket that answers has a living
 * process behind it; one that does not was left by a process that was killed, and is removed. The order is the
 * argument: who listens before it looks is seen by everybody who looks later, so that of two that begin in the same moment at
 * most one goes on.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { types } from 'node:util';
import { codeOf } from '@natrium/model';
import { openSocketFolder, type SocketFolder } from '@natrium/process';
import { makeFolder } from './whole-file.js';

/** What a folder is used for: uses of different names do not keep each other out. */
export interface FolderUse {
  /** How its socket files begin: small letters only. */
  readonly name: string;
  /** As the operator knows it, such as `natriumctl up`. */
  readonly program: string;
  /** What to do while another is there. */
  readonly mend: string;
}

export interface FolderLock {
  release(): void;
}

/** Another process has it; the folder is as it was. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
  readonly code = 'ERR_FOLDER_IN_USE';
  constructor(
    readonly folder: string,
    readonly pid: number,
    { program, mend }: FolderUse,
  ) {
    super(`${folder} is in use by another ${program} (process ${String(pid)}); ${mend}`);
  }
}

const FOLDER_MODE = 0o750;
/** Nobody listens on it any more, or it was removed meanwhile. */
const GONE: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOENT']);
const NOT_OURS: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM']);

/**
 * Holds the folder, which is made when it is missing, until `release` or the end of this process.
 *
 * @throws {FolderInUse} When another process holds it for the same use.
 */
export async function lockFolder(folder: string, use: FolderUse): Promise<FolderLock> {
  makeFolder(folder, FOLDER_MODE);
  const place = openSocketFolder(folder);
  let server: Server | undefined;
  try {
    // No name is used twice, so that nobody removes the socket of a process that lives.
    const name = `${use.name}-${String(process.pid)}-${randomBytes(4).toString('hex')}.sock`;
    server = await listening(place.pathOf(name));
    const others = socketsOf(use, folder).filter((other) => other.name !== name);
    const answered = await Promise.all(others.map((other) => answers(place.pathOf(other.name))));
    const holder = others.find((_, index) => answered[index]);
    if (holder !== undefined) throw new FolderInUse(folder, holder.pid, use);
    for (const left of others) rmSync(place.pathOf(left.name), { force: true });
  } catch (error) {
    server?.close();
    place.close();
    if (types.isNativeError(error)) error.message = sentenceOf(error, folder, place);
    throw error;
  }
  return { release: releaseOf(server, place) };
}

/** The system says that a socket cannot be listened at, and names the folder's descriptor. */
function sentenceOf(error: Error, folder: string, { base }: SocketFolder): string {
  if (NOT_OURS.has(codeOf(error))) return `this account may not write to ${folder}`;
  return error.message.replaceAll(base, folder);
}

function releaseOf(server: Server, place: SocketFolder): () => void {
  return () => {
    if (!server.listening) return;
    // Removes the socket file too.
    server.close();
    place.close();
  };
}

function socketsOf({ name }: FolderUse, folder: string): readonly { readonly name: string; readonly pid: number }[] {
  const pattern = new RegExp(`^${name}-(\\d+)-[0-9a-f]{8}\\.sock$`);
  return readdirSync(folder).flatMap((found) => {
    const [, pid] = pattern.exec(found) ?? [];
    return pid === undefined ? [] : [{ name: found, pid: Number(pid) }];
  });
}

async function listening(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(path), 'listening');
  return server.unref();
}

/** Whether a process listens at a socket. One that cannot be asked counts as alive. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path, () => {
      resolve(true);
      socket.destroy();
    });
    socket.on('error', (error) => {
      resolve(!GONE.has(codeOf(error)));
    });
  });
}
