/** The token that `-T` keeps: `~/.natrium_token`, for its owner alone. */
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '@natrium/model';
import type { Io } from './ports.js';

const FILE = '.natrium_token';
const TOKEN = /^[0-9a-f]{64}$/;
const OWN_MODE = 0o600;

/** @param home The folder that it is in. */
export function tokenFile(home: string = homedir()): Io['tokenFile'] {
  const path = join(home, FILE);
  return { path, read: () => readToken(path), write: (token) => writeToken(path, token) };
}

function readToken(path: string): string | undefined {
  const file = opened(path);
  if (file === undefined) return undefined;
  try {
    const { mode, uid } = fstatSync(file);
    if ((mode & 0o077) !== 0 || uid !== (process.geteuid?.() ?? uid)) {
      throw new Error(`${path} has to be this account's own, with mode 0600; remove it and log in again with -T`);
    }
    const token = readFileSync(file, 'utf8').trim();
    if (!TOKEN.test(token)) throw new Error(`${path} holds no token; remove it and log in again with -T`);
    return token;
  } finally {
    closeSync(file);
  }
}

/** A new file in its place: one that others could read is not filled, and a link is not followed. */
function writeToken(path: string, token: string): void {
  const fresh = `${path}.${String(process.pid)}`;
  rmSync(fresh, { force: true });
  try {
    writeFileSync(fresh, token, { mode: OWN_MODE, flag: 'wx' });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

function opened(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read`, { cause: error });
  }
}
