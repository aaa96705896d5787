/** The processes of a cluster, their memory and their time on a processor, as Linux tells it in /proc. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

export interface Memory {
  /** `acl-service`, `minion-agent a`, `nats-server`, …. */
  readonly name: string;
  /** Megabytes of 10⁶ bytes. */
  readonly rss: number;
  /** What would be free if this process alone ended. */
  readonly private: number;
}

const SUPPORT = ['sh', 'cat'];
const SERVICE = 'main.mjs';

export interface ProcessorTime {
  readonly name: string;
  /** Milliseconds since its start, over all threads: on a processor, and ready to run while there was none. */
  readonly ran: number;
  readonly waited: number;
}

/** Memory of every process below `pid`, without the shell that guards the broker; empty where there is no such /proc. */
export function memoryBelow(pid: number): readonly Memory[] {
  return programsBelow(pid).map(({ name, pid: child }) => ({ name, ...memoryOf(child) }));
}

/** The same processes in the same order; empty where there is no such /proc. */
function processorTimeBelow(pid: number): readonly ProcessorTime[] {
  return programsBelow(pid).map(({ name, pid: child }) => ({ name, ...processorTimeOf(child) }));
}

export interface Program {
  readonly name: string;
  readonly pid: number;
  /** Its command line. */
  readonly words: readonly string[];
}

/** @throws {Error} When no process below `pid` has this name. */
export function programBelow(pid: number, name: string): Program {
  const found = programsBelow(pid).find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} does not run`);
  return found;
}

/** @returns What `work` gives, and what each process below `pid` spent meanwhile. */
export async function processorTimeDuring<T>(
  pid: number,
  work: () => Promise<T>,
): Promise<{ readonly done: T; readonly spent: readonly ProcessorTime[] }> {
  const before = processorTimeBelow(pid);
  const done = await work();
  const spent = processorTimeBelow(pid).map(({ name, ran, waited }, at) => ({
    name,
    ran: ran - (before[at]?.ran ?? 0),
    waited: waited - (before[at]?.waited ?? 0),
  }));
  return { done, spent };
}

function programsBelow(pid: number): readonly Program[] {
  if (!existsSync('/proc/self/smaps_rollup')) return [];
  return descendants(pid).flatMap((child) => {
    const words = readFileSync(`/proc/${child}/cmdline`, 'utf8')
      .split('\0')
      .filter((word) => word !== '');
    return SUPPORT.includes(basename(words[0] ?? '')) ? [] : [{ name: nameOf(words), pid: child, words }];
  });
}

function descendants(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((word) => word !== '');
  return children.map(Number).flatMap((child) => [child, ...descendants(child)]);
}

/** `node …/dist/minion-agent/main.mjs -c …/minions/a` is `minion-agent a`; only an agent is told by its folder. */
function nameOf(words: readonly string[]): string {
  const program = words.find((word) => basename(word) === SERVICE);
  if (program === undefined) return basename(words[0] ?? '');
  const app = program.split('/').at(-2) ?? '';
  return app === 'minion-agent' ? `${app} ${basename(words.at(-1) ?? '')}` : app;
}

function memoryOf(pid: number): { readonly rss: number; readonly private: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const of = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
  return { rss: megabytes(of('Rss')), private: megabytes(of('Private_Clean') + of('Private_Dirty')) };
}

/** The threads' own counters, in nanoseconds. */
function processorTimeOf(pid: number): { readonly ran: number; readonly waited: number } {
  const sums = { ran: 0, waited: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [ran = '0', waited = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    sums.ran += Number(ran) / 1e6;
    sums.waited += Number(waited) / 1e6;
  }
  return sums;
}

function megabytes(kibibytes: number): number {
  return (kibibytes * 1024) / 1e6;
}
