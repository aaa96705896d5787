/** A local account, from `/etc/passwd`: enough to run something as it. */
import { readFile } from 'node:fs/promises';
import { ExecutionError } from '../loader/errors.js';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  readonly shell: string;
}

const NUMBER = /^\d{1,10}$/;

/** @throws {ExecutionError} When there is no such account. */
export async function accountOf(name: string, passwd = '/etc/passwd'): Promise<Account> {
  const lines = (await readFile(passwd, 'utf8')).split('\n').map((line) => line.split(':'));
  const [, , uid = '', gid = '', , home = '/', shell = '/bin/sh'] = lines.find(([first]) => first === name) ?? [];
  // Nothing reads as 0: the line of an account without a number would be root's.
  if (!NUMBER.test(uid) || !NUMBER.test(gid)) throw new ExecutionError(`User '${name}' is not available`);
  return { name, uid: Number(uid), gid: Number(gid), home, shell: shell === '' ? '/bin/sh' : shell };
}
