/**
 * Folders of scripts, named after the process that has made them, so that what one that was killed has left can be told from what is in
 * use. A pid means something in its own namespace only: a container may have its host's /tmp.
 */
import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

const PLACE = '/tmp';
const PID_NAMESPACE = '/proc/self/ns/pid';

/** Those of this process that are in use. */
const inUse = new Set<string>();

/** An agent that is told to stop waits 20 s for what runs, and the script goes on without it: its interpreter has opened the file. */
function leaveNone(): void {
  for (const folder of inUse) rmSync(folder, { recursive: true, force: true });
}

/** Makes a folder that this account alone may look into, and takes it away once it has been used, or this process ends. */
export async function withScriptFolder<T>(use: (folder: string) => Promise<T>, place = PLACE): Promise<T> {
  const folder = mkdtempSync(join(place, `${nameHere()}${String(process.pid)}-`));
  if (inUse.size === 0) process.once('exit', leaveNone);
  inUse.add(folder);
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    inUse.delete(folder);
    if (inUse.size === 0) process.off('exit', leaveNone);
  }
}

/**
 * Takes away what processes of this account have left that were killed: the text of a script may hold a secret. Of one that had this
 * process's own number, as in a container, it is what is not in use.
 *
 * @throws {Error} When something of it cannot be removed.
 */
export function removeLeftScripts(place = PLACE): void {
  const begins = nameHere();
  for (const name of readdirSync(place)) {
    const pid = name.startsWith(begins) ? /^\d+(?=-)/.exec(name.slice(begins.length))?.[0] : undefined;
    const folder = join(place, name);
    if (pid !== undefined && !isUsed(folder, Number(pid)) && isOwn(folder))
      rmSync(folder, { recursive: true, force: true });
  }
}

/** How the names begin of all that processes of this namespace make. */
function nameHere(): string {
  return `natrium-script-${/\d+/.exec(pidNamespace())?.[0] ?? '0'}-`;
}

/** `pid:[4026531836]`; empty where the system has none. */
function pidNamespace(): string {
  try {
    return readlinkSync(PID_NAMESPACE);
  } catch {
    return '';
  }
}

function isUsed(folder: string, pid: number): boolean {
  if (pid === process.pid) return inUse.has(folder);
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'; // another account's process is there, too
  }
}

/** What is in a folder of this account, and its name in /tmp, is nobody else's to change. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}
