/**
 * Unix sockets in folders whose names are long: the kernel takes 107 bytes for the path of a socket, and through a descriptor of its
 * folder each is short. Where there is no /proc a path stays as long as it is.
 */
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { types } from 'node:util';

const MAX_PATH = 107;
const DESCRIPTORS = '/proc/self/fd';

export interface SocketFolder {
  /** What stands for the folder's own path, such as `/proc/self/fd/21`. */
  readonly base: string;
  pathOf(name: string): string;
  /** No path of it leads anywhere after that, or to another folder. */
  readonly close: () => void;
}

/** @throws {Error} When there is no such folder, or it may not be opened. */
export function openSocketFolder(folder: string): SocketFolder {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  const base = existsSync(DESCRIPTORS) ? join(DESCRIPTORS, String(descriptor)) : folder;
  let isOpen = true;
  return {
    base,
    pathOf: (name) => join(base, name),
    close: () => {
      // What is closed may be another's descriptor by the second time.
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

export interface SocketPath {
  readonly path: string;
  /** Nobody uses `path` any more. */
  readonly release: () => void;
}

/**
 * The same place by a path that the kernel takes.
 *
 * @throws {Error} When its folder cannot be opened, or there is no such path.
 */
export function shortSocketPath(path: string): SocketPath {
  if (fits(path)) return { path, release: () => undefined };
  const folder = openSocketFolder(dirname(path));
  const short = folder.pathOf(basename(path));
  if (fits(short)) return { path: short, release: folder.close };
  folder.close();
  throw new Error(`the socket path ${path} is longer than ${String(MAX_PATH)} bytes; set sock_dir to a shorter folder`);
}

/** As `connect` of `node:net`, whatever the length of the path. */
export function connectToSocket(path: string, onConnect?: () => void): Socket {
  let short: SocketPath;
  try {
    short = shortSocketPath(path);
  } catch (error) {
    return new Socket().destroy(types.isNativeError(error) ? error : undefined);
  }
  const socket = connect(short.path, onConnect);
  const failed = (error: Error) => {
    short.release();
    // What the system says names the folder's descriptor.
    error.message = error.message.replaceAll(short.path, path);
  };
  return socket.once('error', failed).once('connect', short.release).once('close', short.release);
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_PATH;
}
