/**
 * Unix sockets in folders with long paths. The path of a socket may have only some hundred bytes, but a path through a descriptor of its
 * folder is short. Where there is no /proc, as on macOS, a link to the folder is used instead.
 */
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { types } from 'node:util';

/** What macOS takes for the path of a socket; Linux takes four bytes more. */
const MAX_PATH = 103;
/** Longer than any name of our sockets. */
const LONGEST_NAME = '-'.repeat(64);
const DESCRIPTORS = '/proc/self/fd';
/** Linux's flag that opens only the place of a folder, so that passing through it is enough and reading need not be allowed. Node does not name it. */
const O_PATH = 0o10000000;
/** Not in TMPDIR, which is a long path itself on macOS. */
const LINKS = '/tmp/nt-';

export interface SocketFolder {
  /** What stands for the folder's own path, such as `/proc/self/fd/21`. */
  readonly base: string;
  pathOf(name: string): string;
  /** After this its paths must not be used: they lead nowhere, or to another folder. */
  readonly close: () => void;
}

/**
 * @param descriptors Where this system has a process's descriptors.
 * @throws {Error} When there is no such folder, or it may not be passed.
 */
export function openSocketFolder(folder: string, descriptors = DESCRIPTORS): SocketFolder {
  const { base, close } = existsSync(descriptors) ? byDescriptor(folder, descriptors) : byLink(folder);
  let isOpen = true;
  return {
    base,
    pathOf: (name) => join(base, name),
    close: () => {
      // Once only: by a second time, the number may be another file's descriptor.
      if (isOpen) close();
      isOpen = false;
    },
  };
}

function byDescriptor(folder: string, descriptors: string): Pick<SocketFolder, 'base' | 'close'> {
  const descriptor = openSync(folder, O_PATH | constants.O_DIRECTORY);
  return {
    base: join(descriptors, String(descriptor)),
    close: () => {
      closeSync(descriptor);
    },
  };
}

/** The link lies in a folder that only this account may look into. */
function byLink(folder: string): Pick<SocketFolder, 'base' | 'close'> {
  statSync(folder); // told of by its own name when it is not there
  if (fits(join(folder, LONGEST_NAME))) return { base: folder, close: () => undefined };
  const around = mkdtempSync(LINKS);
  const base = join(around, 'f');
  symlinkSync(resolve(folder), base);
  return {
    base,
    close: () => {
      rmSync(around, { recursive: true, force: true });
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
 * @throws {Error} When its folder cannot be opened, or its name alone is too long.
 */
export function shortSocketPath(path: string, descriptors = DESCRIPTORS): SocketPath {
  if (fits(path)) return { path, release: () => undefined };
  const folder = openSocketFolder(dirname(path), descriptors);
  const short = folder.pathOf(basename(path));
  if (fits(short)) return { path: short, release: folder.close };
  folder.close();
  throw new Error(
    `the name of the socket ${path} is too long: a path of a socket has ${String(MAX_PATH)} bytes at most`,
  );
}

/** As `connect` of `node:net`, whatever the length of the path. */
export function connectToSocket(path: string, onConnect?: () => void, descriptors = DESCRIPTORS): Socket {
  let short: SocketPath;
  try {
    short = shortSocketPath(path, descriptors);
  } catch (error) {
    return new Socket().destroy(types.isNativeError(error) ? error : undefined);
  }
  const socket = connect(short.path, onConnect);
  const failed = (error: Error) => {
    short.release();
    // What the system says names what stands for the folder.
    error.message = error.message.replaceAll(short.path, path);
  };
  return socket.once('error', failed).once('connect', short.release).once('close', short.release);
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_PATH;
}
