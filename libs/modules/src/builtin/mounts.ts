/** What is mounted, from `/proc/mounts`, and how full it is, from `statfs`. */
import { readFile, statfs } from 'node:fs/promises';

export interface Mount {
  readonly device: string;
  readonly point: string;
  readonly type: string;
}

/** File systems that hold nothing on a disk and would only fill the list. */
const UNREAL = new Set(
  'proc sysfs cgroup cgroup2 devpts mqueue debugfs tracefs securityfs pstore bpf configfs fusectl autofs binfmt_misc hugetlbfs rpc_pipefs nsfs efivarfs ramfs'.split(
    ' ',
  ),
);

export async function mounts(): Promise<readonly Mount[]> {
  const byPoint = new Map<string, Mount>();
  for (const line of (await readFile('/proc/mounts', 'utf8')).split('\n')) {
    const [device = '', point = '', type = ''] = line.split(' ').map(unescaped);
    // A later mount covers an earlier one at the same place.
    if (point !== '' && !UNREAL.has(type)) byPoint.set(point, { device, point, type });
  }
  return [...byPoint.values()];
}

/** Blanks and backslashes stand there as octal digits. */
function unescaped(word: string): string {
  return word.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

export interface Usage {
  readonly bytes: number;
  readonly total: number;
  readonly free: number;
  readonly available: number;
  readonly inodes: number;
  readonly inodesFree: number;
}

/** In blocks of `bytes`; undefined when it cannot be looked at. A mount of a server that hangs holds up one thread only. */
export async function usageOf(point: string): Promise<Usage | undefined> {
  const found = await statfs(point).catch(() => undefined);
  if (found === undefined) return undefined;
  const { bsize: bytes, blocks: total, bfree: free, bavail: available, files: inodes, ffree: inodesFree } = found;
  return { bytes, total, free, available, inodes, inodesFree };
}

/** As `df` rounds it: up, of what an ordinary account could use. */
export function percentUsed({ total, free, available }: Usage): string {
  const used = total - free;
  return used + available === 0 ? '0%' : `${Math.ceil((used * 100) / (used + available))}%`;
}

export function percentInodes({ inodes, inodesFree }: Usage): string {
  return inodes === 0 ? '0%' : `${Math.ceil(((inodes - inodesFree) * 100) / inodes)}%`;
}
