/** How a process comes to run as an account of this host with all the groups that it is in: Node itself can only give it none. */
import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { findProgram } from './find-program.js';
import type { RunAs } from './run-process.js';
import { SYSTEM_PATH } from './run-tool.js';

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** @param groups The numbers of all that it is in. @returns Without `through` where this process or this host cannot give it those. */
export async function runAs({ uid, gid }: Account, groups: readonly number[]): Promise<RunAs> {
  const file = process.geteuid?.() === 0 ? await findProgram('setpriv', SYSTEM_PATH, '/') : undefined;
  // That of BusyBox changes no account.
  if (file === undefined || basename(await realpath(file)) === 'busybox') return { uid, gid };
  return { uid, gid, through: [file, `--reuid=${uid}`, `--regid=${gid}`, `--groups=${groups.join(',')}`, '--'] };
}
