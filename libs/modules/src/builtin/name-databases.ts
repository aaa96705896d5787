/** Accounts and groups of this host: its own files for a look, the name service (`getent`) where others may know more. */
import { readFile } from 'node:fs/promises';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { OUTPUT_LIMIT } from '../process/bounded-output.js';
import { hasTool, runTool } from '../process/run-tool.js';

export interface GroupEntry {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

export interface UserEntry {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly gecos: string;
  readonly home: string;
  readonly shell: string;
}

const NOT_FOUND = 2;

/** All entries, or the one of that name or number. */
export async function users(signal: AbortSignal, key?: string): Promise<readonly UserEntry[]> {
  return (await entries('passwd', signal, key)).map(
    ([name = '', , uid = '', gid = '', gecos = '', home = '', shell = '']) => ({
      name,
      uid: Number(uid),
      gid: Number(gid),
      gecos,
      home,
      shell,
    }),
  );
}

export async function groups(signal: AbortSignal, key?: string): Promise<readonly GroupEntry[]> {
  return (await entries('group', signal, key)).map(([name = '', , gid = '', members = '']) => ({
    name,
    gid: Number(gid),
    members: members === '' ? [] : members.split(','),
  }));
}

/** The field about a person with another name in front; room, telephones and the rest stay behind it. */
export function withFullName(gecos: string, fullname: string): string {
  return [fullname, ...gecos.split(',').slice(1)].join(',');
}

type Database = 'passwd' | 'group';

async function entries(database: Database, signal: AbortSignal, key?: string): Promise<readonly (readonly string[])[]> {
  if (!(await hasTool('getent'))) {
    const all = fieldsOf(await readFile(`/etc/${database}`, 'utf8'), database);
    return key === undefined ? all : all.filter(([name, , id]) => name === key || id === key);
  }
  const { retcode, stdout } = await runTool('getent', ['--', database, ...(key === undefined ? [] : [key])], {
    signal,
  });
  if (retcode !== 0 && retcode !== NOT_FOUND) throw new ExecutionError(`getent ${database} ended with ${retcode}`);
  if (stdout !== '' && !stdout.endsWith('\n'))
    throw new ExecutionError(`getent ${database} says more than ${OUTPUT_LIMIT} bytes; name one entry`);
  return fieldsOf(stdout, database);
}

const FIELDS = { passwd: 7, group: 4 } as const;

/** A line that is not whole, or refers to another database, is none: without its number it would read as root. */
export function fieldsOf(text: string, database: Database): readonly (readonly string[])[] {
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length === FIELDS[database] && /^\d+$/.test(fields[2] ?? ''));
}

/** The number of an account or a group, given as a name or a number. @throws {ExecutionError} When there is none. */
export async function uidOf(name: string, signal: AbortSignal): Promise<number> {
  if (/^\d{1,10}$/.test(name)) return Number(name);
  const [found] = await users(signal, name);
  if (found === undefined) throw new ExecutionError('User does not exist');
  return found.uid;
}

export async function gidOf(name: string, signal: AbortSignal): Promise<number> {
  if (/^\d{1,10}$/.test(name)) return Number(name);
  const [found] = await groups(signal, name);
  if (found === undefined) throw new ExecutionError('Group does not exist');
  return found.gid;
}

/** @throws {InvocationError} When it could not be the name of an account or a group. */
export function plainName(name: string): string {
  if (/^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,254}\$?$/.test(name)) return name;
  throw new InvocationError(`'${name}' is not the name of an account or a group`);
}
