/** The processes of one cluster as Linux tells of them in /proc: known by the folder in their command line. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

export interface ProcessInfo {
  readonly pid: number;
  /** Of its process group. */
  readonly group: number;
  /** `up`, `nats-server`, `acl-service`, …, the id of a minion, or `sh` and `cat` of the broker's guard. */
  readonly name: string;
  /** Megabytes of 10⁶ bytes. */
  readonly rss: number;
}

const SERVICE = 'main.mjs';
const KIB = 1024;
const MB = 1e6;

/** Every living process whose words name `folder`, and everything in the groups of those and of `groups`. */
export function processesOf(folder: string, groups: Iterable<number> = []): readonly ProcessInfo[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap(readProcess); // prettier-ignore
  const named = all.filter(({ words, pid }) => pid !== process.pid && words.some((word) => word.includes(folder)));
  const own = new Set([...groups, ...named.map(({ group }) => group)]);
  const mine = new Set(named.map(({ pid }) => pid));
  const isOurs = ({ pid, group }: Seen) => mine.has(pid) || (own.has(group) && group !== ourGroup());
  return all.filter(isOurs).map(({ pid, group, words, rss }) => ({ pid, group, name: nameOf(words), rss }));
}

interface Seen {
  readonly pid: number;
  readonly group: number;
  readonly words: readonly string[];
  readonly rss: number;
}

/** Nothing for a process that has ended: a zombie, or one that went while it was read. */
function readProcess(pid: string): readonly Seen[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    if (/^State:\s+[ZX]/m.test(status)) return [];
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const rss = (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * KIB) / MB;
    return [{ pid: Number(pid), group: groupOf(pid), words: words.filter((word) => word !== ''), rss }];
  } catch {
    return [];
  }
}

/** The third field after the name in brackets. */
function groupOf(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

function ourGroup(): number {
  return groupOf(String(process.pid));
}

function nameOf(words: readonly string[]): string {
  const [file = ''] = words;
  if (words.some((word) => basename(word) === 'natriumctl.mjs')) return 'up';
  const program = words.find((word) => basename(word) === SERVICE);
  if (program === undefined) return basename(file);
  const app = program.split('/').at(-2) ?? '';
  return app === 'minion-agent' ? basename(words.at(-1) ?? '') : app;
}
