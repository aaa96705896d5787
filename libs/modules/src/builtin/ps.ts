/** `ps.*`: processes and memory of this host, read from `/proc`; `kill_pid` alone changes anything. */
import { codeOf, float, pyStr, type Value, type ValueMap } from '@natrium/model';
import { availableParallelism } from 'node:os';
import { defineModule } from '../loader/declaration.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';
import { matching } from '../patterns/match-apart.js';
import { userOf, users } from './name-databases.js';
import { bootTime, processIds, processLink, type ProcessFacts, readMemory, readProcess } from './proc.js';
import { signalNumber } from './signals.js';

export const psModule = defineModule('ps', {
  get_pid_list: fn({ doc: 'The ids of all processes.', examples: ['ps.get_pid_list'] }, () => processIds()),
  pgrep: fn(
    {
      doc: 'The ids of processes whose name holds a text.',
      params: [
        { name: 'pattern', type: 'str', doc: 'The text.' },
        { name: 'user', type: 'str', default: '', doc: 'Only processes of this account.' },
        { name: 'full', type: 'bool', default: false, doc: 'Look at the whole command line.' },
        { name: 'pattern_is_regex', type: 'bool', default: false, doc: 'The text is a regular expression.' },
      ],
      returns: 'a list, or None when there is none',
      examples: ['ps.pgrep httpd', 'ps.pgrep www full=True'],
    },
    async ({ pattern, user, full, pattern_is_regex: isRegex }, { signal }) => {
      const uid = user === '' ? undefined : await uidNamed(user, signal);
      return uid === null ? null : pgrep(pattern, uid, { full, isRegex });
    },
  ),
  proc_info: fn(
    {
      doc: 'What is known of one process.',
      params: [
        { name: 'pid', type: 'int' },
        { name: 'attrs', type: 'list', default: [], doc: 'Only these; all when not given.' },
      ],
      examples: ['ps.proc_info 1', 'ps.proc_info 1 attrs=[name,status]'],
    },
    ({ pid, attrs }, { signal }) => processInfo(pid, attrs.map(pyStr), signal),
  ),
  kill_pid: fn(
    {
      doc: 'Sends a signal to one process.',
      params: [
        { name: 'pid', type: 'int', doc: 'Its id, 1 or more: a group of processes has none.' },
        { name: 'signal', type: 'any', default: 15, doc: 'Number or name of the signal.' },
      ],
      returns: 'True; False when there is no such process',
      examples: ['ps.kill_pid 2000', 'ps.kill_pid 2000 signal=9'],
    },
    ({ pid, signal }) => killProcess(pid, signalNumber(signal)),
  ),
  num_cpus: fn({ doc: 'The number of processors.', examples: ['ps.num_cpus'] }, () => availableParallelism()),
  boot_time: fn({ doc: 'When the host was started, in seconds since 1970.', examples: ['ps.boot_time'] }, () =>
    bootTime(),
  ),
  virtual_memory: fn({ doc: 'Memory of the host, in bytes.', examples: ['ps.virtual_memory'] }, () => virtualMemory()),
  swap_memory: fn({ doc: 'Swap space of the host, in bytes.', examples: ['ps.swap_memory'] }, () => swapMemory()),
  total_physical_memory: fn(
    { doc: 'All memory of the host, in bytes.' },
    async () => (await readMemory()).get('MemTotal') ?? 0,
  ),
});

interface How {
  readonly full: boolean;
  readonly isRegex: boolean;
}

/** As in Salt: an account that there is not has no processes, and one without a name is called by its number. */
async function uidNamed(user: string, signal: AbortSignal): Promise<number | null> {
  const found = await userOf(user, signal);
  if (found !== undefined) return found.uid;
  return /^\d{1,10}$/.test(user) && (await accountName(Number(user), signal)) === user ? Number(user) : null;
}

async function pgrep(pattern: string, uid: number | undefined, { full, isRegex }: How): Promise<Value> {
  const lookedAt: (readonly [pid: number, text: string])[] = [];
  // One after the other: a host may have more processes than this one may open files.
  for (const pid of await processIds()) {
    const one = await readProcess(pid);
    if (one === undefined || (uid !== undefined && one.uids[0] !== uid)) continue;
    lookedAt.push([pid, full ? one.cmdline.join(' ') : one.name]);
  }
  const texts = lookedAt.map(([, text]) => text);
  const holding = (): readonly string[] => texts.filter((text) => text.includes(pattern));
  const fitting = new Set(isRegex ? await matching({ source: pattern, flags: 0 }, texts) : holding());
  const found = lookedAt.filter(([, text]) => fitting.has(text)).map(([pid]) => pid);
  return found.length === 0 ? null : found;
}

const MAX_PID = 2 ** 31 - 1;

/** For kill(2) 0 and less mean groups, -1 all processes: none of that is ever sent. */
function killProcess(pid: number, signal: number): boolean {
  if (pid < 1) throw new InvocationError(`${String(pid)} is not the id of a process`);
  if (pid > MAX_PID) return false;
  try {
    return process.kill(pid, signal);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ESRCH') return false;
    throw new ExecutionError(code === 'EPERM' ? `access denied (pid=${String(pid)})` : String(code));
  }
}

async function processInfo(pid: number, attrs: readonly string[], signal: AbortSignal): Promise<ValueMap> {
  const facts = await readProcess(pid);
  if (facts === undefined) throw new ExecutionError(`process PID not found (pid=${String(pid)})`);
  const info = await described(facts, signal);
  const unknown = attrs.filter((name) => !Object.hasOwn(info, name));
  if (unknown.length > 0)
    throw new InvocationError(`not known of a process: ${unknown.join(', ')}; known: ${Object.keys(info).join(', ')}`);
  return attrs.length === 0 ? info : Object.fromEntries(Object.entries(info).filter(([name]) => attrs.includes(name)));
}

const TICKS_PER_SECOND = 100;

async function described(facts: ProcessFacts, signal: AbortSignal): Promise<ValueMap> {
  const { pid, ppid, name, status, cmdline, uids, gids, threads, rss, vms, startTicks } = facts;
  const ids = ([real = -1, effective = -1, saved = -1]: readonly number[]): ValueMap => ({ real, effective, saved });
  return {
    pid,
    ppid,
    name,
    status,
    cmdline,
    exe: await processLink(pid, 'exe'),
    cwd: await processLink(pid, 'cwd'),
    username: await accountName(uids[0] ?? -1, signal),
    uids: ids(uids),
    gids: ids(gids),
    num_threads: threads,
    memory_info: { rss, vms },
    create_time: float((await bootTime()) + startTicks / TICKS_PER_SECOND),
  };
}

async function accountName(uid: number, signal: AbortSignal): Promise<string> {
  return (await users(signal, String(uid)))[0]?.name ?? String(uid);
}

async function virtualMemory(): Promise<ValueMap> {
  const memory = await readMemory();
  const of = (name: string): number => memory.get(name) ?? 0;
  const [total, available, cached] = [of('MemTotal'), of('MemAvailable'), of('Cached') + of('SReclaimable')];
  return {
    total,
    available,
    percent: percentOf(total - available, total),
    used: total - of('MemFree') - of('Buffers') - cached,
    free: of('MemFree'),
    active: of('Active'),
    inactive: of('Inactive'),
    buffers: of('Buffers'),
    cached,
    shared: of('Shmem'),
    slab: of('Slab'),
  };
}

async function swapMemory(): Promise<ValueMap> {
  const memory = await readMemory();
  const [total, free] = [memory.get('SwapTotal') ?? 0, memory.get('SwapFree') ?? 0];
  return { total, used: total - free, free, percent: percentOf(total - free, total) };
}

/** One decimal, and always a float. */
function percentOf(part: number, whole: number): Value {
  return float(whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10);
}
