/** Processes as Linux shows them under `/proc`. A process that ends while it is read is as one that was not there. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

export interface ProcessFacts {
  readonly pid: number;
  readonly ppid: number;
  readonly name: string;
  readonly status: string;
  readonly cmdline: readonly string[];
  readonly uids: readonly number[];
  readonly gids: readonly number[];
  readonly threads: number;
  readonly rss: number;
  readonly vms: number;
  /** Ticks of 10 ms after the boot. */
  readonly startTicks: number;
}

const KEPT_OF_NAME = 15;

const STATES: Readonly<Record<string, string>> = {
  R: 'running',
  S: 'sleeping',
  D: 'disk-sleep',
  T: 'stopped',
  t: 'tracing-stop',
  Z: 'zombie',
  X: 'dead',
  I: 'idle',
};

export async function processIds(): Promise<readonly number[]> {
  const names = await readdir('/proc');
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** @returns undefined when there is no such process. */
export async function readProcess(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const [status, stat, cmdline] = await Promise.all(
      ['status', 'stat', 'cmdline'].map((file) => readFile(`/proc/${String(pid)}/${file}`, 'utf8')),
    );
    return factsFrom(pid, status ?? '', stat ?? '', cmdline ?? '');
  } catch {
    return undefined;
  }
}

/** A link of a process, such as `exe` and `cwd`; empty when it is not ours to see. */
export async function processLink(pid: number, name: 'exe' | 'cwd'): Promise<string> {
  return readlink(`/proc/${String(pid)}/${name}`).catch(() => '');
}

function factsFrom(pid: number, status: string, stat: string, cmdline: string): ProcessFacts {
  const field = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
  const numbers = (name: string): readonly number[] => field(name).split(/\s+/).slice(0, 3).map(Number);
  // The name in `stat` stands in parentheses and may hold anything, blanks and parentheses too.
  const after = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const words = cmdline.replace(/\0$/, '').split('\0');
  return {
    pid,
    ppid: Number(field('PPid')),
    name: fullName(field('Name'), words[0] ?? ''),
    status: STATES[field('State').charAt(0)] ?? 'unknown',
    cmdline: cmdline === '' ? [] : words,
    uids: numbers('Uid'),
    gids: numbers('Gid'),
    threads: Number(field('Threads')),
    rss: kibibytes(field('VmRSS')),
    vms: kibibytes(field('VmSize')),
    startTicks: Number(after[19] ?? 0),
  };
}

/** The kernel keeps 15 bytes of a name; the command line has the rest where it begins likewise. As psutil. */
function fullName(name: string, program: string): string {
  const file = basename(program);
  return name.length >= KEPT_OF_NAME && file.startsWith(name) ? file : name;
}

function kibibytes(text: string): number {
  return Number(/^\d+/.exec(text)?.[0] ?? 0) * 1024;
}

/** Seconds since 1970 at which the machine was started. */
export async function bootTime(): Promise<number> {
  return Number(/^btime (\d+)$/m.exec(await readFile('/proc/stat', 'utf8'))?.[1] ?? 0);
}

/** Bytes, by the names in `/proc/meminfo`. */
export async function readMemory(): Promise<ReadonlyMap<string, number>> {
  const lines = (await readFile('/proc/meminfo', 'utf8')).split('\n');
  return new Map(
    lines.flatMap((line) => {
      const match = /^(\S+):\s+(\d+)/.exec(line);
      return match === null ? [] : [[match[1] ?? '', Number(match[2]) * 1024] as const];
    }),
  );
}
