/**
 * Accounts and groups as the name service (`getent`) knows them, those of a directory too; where there is no `getent`, those of the
 * host's own files.
 *
 * A name of a directory may hold nearly anything (`ann@example.com`, `EXAMPLE\ann`, `domain users`), and the answer may spell it
 * in another way than whoever asked.
 */
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

/** Parameter of the functions that list a whole database. */
export const REFRESH = {
  name: 'refresh',
  type: 'any',
  default: false,
  doc: 'Changes nothing: nothing is kept.',
} as const;

/** What `getent DATABASE [KEY…]` prints; undefined when there is no such program, or no such database. */
export type Getent = (database: string, keys: readonly string[], signal: AbortSignal) => Promise<string | undefined>;

type Database = 'passwd' | 'group';

/** All accounts, or the one of that name or number. */
export async function users(signal: AbortSignal, key?: string, ask: Getent = getent): Promise<readonly UserEntry[]> {
  return (await entries('passwd', signal, key === undefined ? [] : [key], ask)).map(
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

/** All groups, or those of the names or numbers that are given. */
export async function groups(
  signal: AbortSignal,
  keys: readonly string[] = [],
  ask: Getent = getent,
): Promise<readonly GroupEntry[]> {
  return (await entries('group', signal, keys, ask)).map(([name = '', , gid = '', members = '']) => ({
    name,
    gid: Number(gid),
    members: members === '' ? [] : members.split(','),
  }));
}

/** The account of that name; a number is none. */
export async function userOf(name: string, signal: AbortSignal, ask: Getent = getent): Promise<UserEntry | undefined> {
  return isAskable(name) ? ofThatName(name, await users(signal, name, ask)) : undefined;
}

/** The group of that name; a number is none. */
export async function groupOf(name: string, signal: AbortSignal): Promise<GroupEntry | undefined> {
  return isAskable(name) ? ofThatName(name, await groups(signal, [name])) : undefined;
}

/** Whom something is run as. @throws {ExecutionError} When there is no such account. */
export async function accountOf(name: string, signal: AbortSignal, ask: Getent = getent): Promise<UserEntry> {
  const found = await userOf(name, signal, ask);
  if (found === undefined) throw new ExecutionError(`User '${name}' is not available`);
  const { home, shell } = found;
  return { ...found, home: home === '' ? '/' : home, shell: shell === '' ? '/bin/sh' : shell };
}

/** Names of the groups that an account is in. Not out of a list of all: that of a directory is long, or it tells none. */
export async function groupNames(
  { name, gid }: UserEntry,
  signal: AbortSignal,
  ask: Getent = getent,
): Promise<readonly string[]> {
  const further = numbersOf(name, await ask('initgroups', [name], signal));
  const found =
    further === undefined
      ? (await groups(signal, [], ask)).filter((group) => group.gid === gid || group.members.includes(name))
      : await groups(signal, [String(gid), ...further], ask);
  return [...new Set(found.map((group) => group.name))].sort();
}

/** The numbers after the name; the name may hold blanks. */
function numbersOf(name: string, line: string | undefined): readonly string[] | undefined {
  return line?.startsWith(name) === true ? (line.slice(name.length).match(/\d+/g) ?? []) : undefined;
}

/** The field about a person with another name in front; room, telephones and the rest stay behind it. */
export function withFullName(gecos: string, fullname: string): string {
  return [fullname, ...gecos.split(',').slice(1)].join(',');
}

/** That field from its parts: name, room, telephones at work and at home, and the rest. */
export function aboutPerson(parts: readonly string[]): string {
  return parts.join(',').replace(/,+$/, '');
}

/** None of these is in a name, and without a key all entries would be meant. */
function isAskable(name: string): boolean {
  return /^[^:\n\0]+$/.test(name);
}

/** `getent` takes `0`, and `+0` and ` 0` as well, for the number of root. */
function ofThatName<T extends { readonly name: string }>(name: string, [found]: readonly T[]): T | undefined {
  return found?.name === name || !/^\s*[-+]?\d+$/.test(name) ? found : undefined;
}

async function entries(
  database: Database,
  signal: AbortSignal,
  keys: readonly string[],
  ask: Getent,
): Promise<readonly (readonly string[])[]> {
  const said = await ask(database, keys, signal);
  if (said === undefined) {
    const all = fieldsOf(await readFile(`/etc/${database}`, 'utf8'), database);
    return keys.length === 0 ? all : all.filter(([name = '', , id = '']) => keys.includes(name) || keys.includes(id));
  }
  if (said !== '' && !said.endsWith('\n'))
    throw new ExecutionError(`getent ${database} says more than ${OUTPUT_LIMIT} bytes; name one entry`);
  return fieldsOf(said, database);
}

const UNKNOWN_DATABASE = 1;
const NOT_FOUND = 2;

async function getent(database: string, keys: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  if (!(await hasTool('getent'))) return undefined;
  const { retcode, stdout } = await runTool('getent', ['--', database, ...keys], { signal });
  if (retcode === UNKNOWN_DATABASE) return undefined;
  if (retcode !== 0 && retcode !== NOT_FOUND) throw new ExecutionError(`getent ${database} ended with ${retcode}`);
  return stdout;
}

const FIELDS = { passwd: 7, group: 4 } as const;

/** A line that is not whole, or refers to another database, is none: without its numbers it would read as root. */
export function fieldsOf(text: string, database: Database): readonly (readonly string[])[] {
  const numbers = database === 'passwd' ? [2, 3] : [2];
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter(
      (fields) => fields.length === FIELDS[database] && numbers.every((at) => /^\d{1,10}$/.test(fields[at] ?? '')),
    );
}

/** The number of an account or a group, given as a name or a number. @throws {ExecutionError} When there is none. */
export async function uidOf(name: string, signal: AbortSignal): Promise<number> {
  if (/^\d{1,10}$/.test(name)) return Number(name);
  const found = await userOf(name, signal);
  if (found === undefined) throw new ExecutionError('User does not exist');
  return found.uid;
}

export async function gidOf(name: string, signal: AbortSignal): Promise<number> {
  if (/^\d{1,10}$/.test(name)) return Number(name);
  const found = await groupOf(name, signal);
  if (found === undefined) throw new ExecutionError('Group does not exist');
  return found.gid;
}

/** @throws {InvocationError} When it could not be the name of a new account or group. */
export function plainName(name: string): string {
  if (/^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,254}\$?$/.test(name)) return name;
  throw new InvocationError(`'${name}' is not the name of an account or a group`);
}

/** One that may be in a list with commas. @throws {InvocationError} When it could not be the name of an account or a group. */
export function knownName(name: string): string {
  if (/^[^-+\s:,][^:,\n\0]{0,254}$/.test(name)) return name;
  throw new InvocationError(`'${name}' is not the name of an account or a group`);
}
