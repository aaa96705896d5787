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

/** As `df` tells it: by what a server is called. */
export function isRemote({ device }: Pick<Mount, 'device'>): boolean {
  return device.includes(':') || device.startsWith('//');
}

/** Blanks and backslashes stand there as octal digits. */
function unescaped(word: string): string {
  return word.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** In blocks of `bytes`. */
export interface Usage {
  readonly bytes: number;
  readonly total: number;
  readonly free: number;
  readonly available: number;
  readonly inodes: number;
  readonly inodesFree: number;
}

/** Kinds for which a server or a program answers, which may hang; so may whatever a path of no known kind leads to. */
const MAY_HANG = /^$|^(?:nfs|cifs|smb|fuse|9p|ceph|lustre|gpfs|beegfs|afs|coda|ocfs2|virtiofs)/;
/** Milliseconds: longer than a server takes that is there. */
const LIMIT_MS = 5_000;
/** Of the four threads of Node that do all work with files: what hangs keeps its own until its server is back. */
const MOST_HANGING = 2;

type Asked = Pick<Mount, 'point' | 'type'>;

/**
 * Asks file systems how full they are. What hangs is asked once, however often somebody wants to know it, and never so much of it at a time
 * that nothing is left for other files.
 */
export class Usages {
  readonly #asking = new Map<string, Promise<Usage | undefined>>();

  constructor(
    private readonly look: (point: string) => Promise<Usage | undefined> = looked,
    private readonly limitMs = LIMIT_MS,
  ) {}

  /** In the order of what is asked; undefined for what cannot be looked at, or not in time. */
  async of(asked: readonly Asked[]): Promise<readonly (Usage | undefined)[]> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.limitMs);
    const over = new Promise<undefined>((resolve) => late.signal.addEventListener('abort', () => resolve(undefined)));
    const inTime = ({ point, type }: Asked) =>
      MAY_HANG.test(type) ? Promise.race([over, this.#inTurn(point, over, late.signal)]) : this.look(point);
    try {
      return await Promise.all(asked.map(inTime));
    } finally {
      clearTimeout(timer);
    }
  }

  async #inTurn(point: string, over: Promise<undefined>, late: AbortSignal): Promise<Usage | undefined> {
    while (!late.aborted) {
      const asking = this.#asking.get(point) ?? (this.#asking.size < MOST_HANGING ? this.#begin(point) : undefined);
      if (asking !== undefined) return asking;
      await Promise.race([over, ...this.#asking.values()]);
    }
    return undefined;
  }

  #begin(point: string): Promise<Usage | undefined> {
    const asking = this.look(point).finally(() => this.#asking.delete(point));
    this.#asking.set(point, asking);
    return asking;
  }
}

/** One for all calls of a process. */
export const usages = new Usages();

async function looked(point: string): Promise<Usage | undefined> {
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
