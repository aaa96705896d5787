import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Heard } from '@natrium/events';
import { FileDestination } from './file.js';

const anEvent = (n: number): Heard => ({
  tag: 'monitoring/web1',
  data: { n },
  stamp: '2026-11-21T12:00:00.000000',
  cursor: `${String(n)}.0`,
  origin: { kind: 'minion', name: 'web1' },
  id: `abc.${String(n)}`,
});

describe('a file', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'natrium-file-'));
    path = join(folder, 'logs', 'events.jsonl');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const lines = () =>
    readFileSync(path, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as Heard); // prettier-ignore

  it('gets one line for each event, readable by its owner only', async () => {
    const file = new FileDestination(path);
    await file.deliver([anEvent(1), anEvent(2)]);
    await file.deliver([anEvent(3)]);
    expect(lines()).toEqual([anEvent(1), anEvent(2), anEvent(3)]);
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it.each([1, 200_000])('has no torn line of %i bytes after a kill, and keeps the whole ones', async (bytes) => {
    const file = new FileDestination(path);
    await file.deliver([anEvent(1)]);
    writeFileSync(path, '{'.padEnd(bytes, '"'), { flag: 'a' });
    await file.deliver([anEvent(2)]);
    expect(lines()).toEqual([anEvent(1), anEvent(2)]);
  });

  it('is none where it is a pipe, which gets nothing', async () => {
    mkdirSync(join(folder, 'logs'));
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    await expect(new FileDestination(path).deliver([anEvent(1)])).rejects.toThrow('is no regular file');
    expect(readSync(reader, Buffer.alloc(1))).toBe(0);
    closeSync(reader);
  });

  it.each([
    ['a symbolic link', (other: string) => symlinkSync(other, path)],
    ['a hard link', (other: string) => linkSync(other, path)],
    ['a link of its folder', () => undefined],
  ])('is none where it is that of another sink by %s, which keeps all that it has', async (kind, link) => {
    const other = join(folder, 'real', 'events.jsonl');
    await new FileDestination(other).deliver([anEvent(1)]);
    if (kind === 'a link of its folder') symlinkSync(join(folder, 'real'), join(folder, 'logs'));
    else mkdirSync(join(folder, 'logs'));
    link(other);
    writeFileSync(other, '{"torn', { flag: 'a' });
    const before = readFileSync(other, 'utf8');
    const file = new FileDestination(path, [join(folder, 'none'), other]);
    await expect(file.deliver([anEvent(2)])).rejects.toThrow(
      `${path} is ${other}, the file of another sink; give each`,
    );
    expect(readFileSync(other, 'utf8')).toBe(before);
    rmSync(kind === 'a link of its folder' ? join(folder, 'logs') : path);
    await file.deliver([anEvent(2)]);
    expect([lines(), readFileSync(other, 'utf8')]).toEqual([[anEvent(2)], before]);
  });

  it('fails where it cannot be written', async () => {
    writeFileSync(join(folder, 'logs'), '');
    await expect(new FileDestination(path).deliver([anEvent(1)])).rejects.toThrow(/EEXIST|ENOTDIR/);
  });
});
