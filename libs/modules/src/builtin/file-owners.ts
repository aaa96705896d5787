/** Whose files and folders are, and who may do what with them. Of a link it is the link itself, never what it leads to. */
import { chmod, lchown } from 'node:fs/promises';
import { InvocationError } from '../loader/errors.js';
import { itself, onDisk, refuseLink } from './file-access.js';
import { gidOf, uidOf } from './name-databases.js';

export async function changeOwner(path: string, user: string, group: string, signal: AbortSignal): Promise<null> {
  const owner = await ownerOf(user, group, signal);
  await onDisk(path, () => lchown(itself(path), ...owner));
  return null;
}

/** The numbers; -1 stands for what stays as it is. */
export async function ownerOf(user: string, group: string, signal: AbortSignal): Promise<[uid: number, gid: number]> {
  return [user === '' ? -1 : await uidOf(user, signal), group === '' ? -1 : await gidOf(group, signal)];
}

export async function changeMode(path: string, bits: number): Promise<void> {
  await refuseLink(path);
  await onDisk(path, () => chmod(path, bits));
}

/** @throws {InvocationError} When they are no octal digits. */
export function modeBits(mode: string): number {
  if (!/^(0o?)?[0-7]{1,4}$/.test(mode)) throw new InvocationError(`mode ${mode} is not octal digits`);
  return Number.parseInt(mode.replace(/^0o/, ''), 8);
}
