/** Earlier contents of files, kept under the minion's cache folder with Salt's names: `file_backup/etc/motd_Fri_Nov_20_…`. */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Value, ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { kindOf, onDisk, readBeginning, TEXT_LIMIT, wholePath, writeWhole } from './file-access.js';

export interface Backup {
  readonly location: string;
  readonly time: Date;
  readonly size: number;
}

/** @throws {InvocationError} When `backup=` asks for a kind that there is not. */
export function wantsBackup(backup: Value): boolean {
  if (backup === null || backup === false || backup === '') return false;
  if (backup === true || backup === 'minion') return true;
  throw new InvocationError('backup= takes minion (kept under the cachedir) or False');
}

/** Keeps what the file holds now. Nothing happens when there is none. */
export async function keepBackup(path: string, context: CallContext): Promise<void> {
  if ((await kindOf(path)) !== 'file') return;
  const { bytes, isAll } = await readBeginning(path, TEXT_LIMIT, false);
  if (!isAll) throw new ExecutionError(`${path} has more than ${TEXT_LIMIT} bytes, too many for a backup`);
  const folder = folderOf(path, context);
  await onDisk(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  await writeWhole(join(folder, `${basename(path)}_${stamp(new Date())}`), bytes, 0o600);
}

/** The newest first. */
export async function backupsOf(path: string, context: CallContext): Promise<readonly Backup[]> {
  const folder = folderOf(wholePath(path), context);
  const names = await readdir(folder).catch(() => []);
  const prefix = `${basename(path)}_`;
  const own = names.filter((name) => name.startsWith(prefix));
  const read = own.map(async (name): Promise<Backup | undefined> => {
    const time = timeOf(name.slice(prefix.length));
    const location = join(folder, name);
    return time === undefined ? undefined : { location, time, size: (await stat(location)).size };
  });
  const found = (await Promise.all(read)).filter((backup) => backup !== undefined);
  return found.sort((a, b) => b.time.getTime() - a.time.getTime());
}

export function shownBackups(backups: readonly Backup[]): ValueMap {
  const shown = ({ location, time, size }: Backup): ValueMap => ({
    'Backup Time': timeText(time),
    Location: location,
    Size: size,
  });
  return Object.fromEntries(backups.map((backup, index) => [String(index), shown(backup)]));
}

export async function restoreBackup(path: string, id: number, context: CallContext): Promise<ValueMap> {
  const chosen = (await backupsOf(path, context))[id];
  if (chosen === undefined) return noSuchBackup(path, id);
  const { bytes } = await readBeginning(chosen.location, TEXT_LIMIT, false);
  await keepBackup(path, context);
  await writeWhole(path, bytes, 0o600);
  return { result: true, comment: `Successfully restored ${chosen.location} to ${path}` };
}

export async function deleteBackup(path: string, id: number, context: CallContext): Promise<ValueMap> {
  const chosen = (await backupsOf(path, context))[id];
  if (chosen === undefined) return noSuchBackup(path, id);
  await onDisk(chosen.location, () => rm(chosen.location));
  return { result: true, comment: `Successfully removed ${chosen.location}` };
}

function noSuchBackup(path: string, id: number): ValueMap {
  return { result: false, comment: `backup_id '${id}' does not exist for ${path}` };
}

function folderOf(path: string, { config }: CallContext): string {
  const cachedir = config['cachedir'];
  if (typeof cachedir !== 'string' || cachedir === '')
    throw new ExecutionError('this minion has no cachedir to keep a backup in; backup=False goes without');
  if (path.split('/').includes('..')) throw new InvocationError('a path with .. has no backups');
  return join(cachedir, 'file_backup', dirname(path));
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Fri_Nov_20_15:26:44_123000_2026`, in UTC. */
function stamp(now: Date): string {
  const { day, clock, micro, year } = partsOf(now);
  return `${day.replaceAll(' ', '_')}_${clock}_${micro}_${year}`;
}

/** `Fri Nov 20 2026 15:26:44.123000`, in UTC. */
function timeText(time: Date): string {
  const { day, clock, micro, year } = partsOf(time);
  return `${day} ${year} ${clock}.${micro}`;
}

function partsOf(time: Date): Readonly<Record<'day' | 'clock' | 'micro' | 'year', string>> {
  const [date = '', clock = ''] = time.toISOString().split('T');
  const day = `${DAYS[time.getUTCDay()] ?? ''} ${MONTHS[time.getUTCMonth()] ?? ''} ${date.slice(8)}`;
  return { day, clock: clock.slice(0, 8), micro: `${clock.slice(9, 12)}000`, year: date.slice(0, 4) };
}

function timeOf(text: string): Date | undefined {
  const match = /^[A-Z][a-z]{2}_([A-Z][a-z]{2})_(\d\d)_(\d\d:\d\d:\d\d)_(\d{3})\d{3}_(\d{4})$/.exec(text);
  if (match === null) return undefined;
  const [, month = '', day = '', clock = '', milli = '', year = ''] = match;
  const number = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  const time = new Date(`${year}-${number}-${day}T${clock}.${milli}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
