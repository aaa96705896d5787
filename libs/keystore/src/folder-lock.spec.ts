/** Rules of the lock of a folder: one holder at a time for each use, who ends with its process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FolderLock, FolderInUse, type FolderUse, lockFolder } from './folder-lock.js';

const LISTENS = "require('net').createServer().listen(process.argv[1], () => process.send('listens'))";

const UP: FolderUse = { name: 'up', program: 'natriumctl up', mend: 'end that one first' };
const ROLES: FolderUse = { name: 'roles', program: 'natriumctl roles', mend: 'do it again' };

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nt-lock-'));
  folder = join(root, 'state');
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

async function listener(path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', LISTENS, path], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  await once(child, 'message');
  return child;
}

it('is held by one, by whatever path the other comes, until it is released', async () => {
  const first = await lockFolder(folder, UP);
  const held = readdirSync(folder);
  const other = join(root, 'other');
  symlinkSync(folder, other);
  const inUse = `is in use by another natriumctl up (process ${String(process.pid)}); end that one first`;
  await expect(lockFolder(folder, UP)).rejects.toThrow(`${folder} ${inUse}`);
  await expect(lockFolder(other, UP)).rejects.toThrow(`${other} ${inUse}`);
  expect(readdirSync(folder)).toEqual(held);
  first.release();
  expect(readdirSync(folder)).toEqual([]);
  (await lockFolder(other, UP)).release();
});

it('that cannot be made is told by the folder’s own path, and not as a socket that nobody knows of', async () => {
  const taken = lockFolder('/proc/self/task', UP);
  await expect(taken).rejects.toMatchObject({
    ...{ code: 'EACCES', message: 'this account may not write to /proc/self/task' },
  });
});

it('is never held by two of those that begin in the same moment', async () => {
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder, UP)));
  const held: FolderLock[] = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(held.length).toBeLessThanOrEqual(1);
  for (const lock of held) lock.release();
  (await lockFolder(folder, UP)).release();
});

it('ends with a process that was killed, and not with one that is only stopped', async () => {
  (await lockFolder(folder, UP)).release();
  const left = join(folder, 'up-4242-0123abcd.sock');
  const holder = await listener(left);
  holder.kill('SIGSTOP');
  await expect(lockFolder(folder, UP)).rejects.toThrow('(process 4242)');
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  expect(existsSync(left)).toBe(true);
  const next = await lockFolder(folder, UP);
  expect(existsSync(left)).toBe(false);
  next.release();
});

it('is one of each use: another use of the same folder has its own', async () => {
  writeFileSync(join(root, 'up-1-0123abcd.sock.bak'), '');
  const up = await lockFolder(root, UP);
  const roles = await lockFolder(root, ROLES);
  await expect(lockFolder(root, ROLES)).rejects.toThrow('another natriumctl roles');
  up.release();
  await expect(lockFolder(root, ROLES)).rejects.toThrow(FolderInUse);
  roles.release();
  expect(readdirSync(root)).toEqual(['up-1-0123abcd.sock.bak']);
});

it('is held in a folder whose path is longer than that of a socket may be', async () => {
  const long = join(root, 'x'.repeat(150), 'y'.repeat(150));
  const lock = await lockFolder(long, UP);
  await expect(lockFolder(long, UP)).rejects.toThrow(FolderInUse);
  lock.release();
  expect(readdirSync(long)).toEqual([]);
});

it('is released once: what another holds since then stays', async () => {
  const first = await lockFolder(folder, UP);
  first.release();
  const next = await lockFolder(folder, UP);
  first.release();
  await expect(lockFolder(folder, UP)).rejects.toThrow(FolderInUse);
  next.release();
});

it('of a folder that cannot be made is the error of the disk', async () => {
  writeFileSync(folder, '');
  await expect(lockFolder(folder, UP)).rejects.toThrow('EEXIST');
  await expect(lockFolder('/proc/none', UP)).rejects.toThrow('ENOENT');
});
