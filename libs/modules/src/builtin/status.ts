/** `status.*`: how this host is doing, as far as `/proc` tells; nothing here changes anything. */
import { float, isMap, pyStr, type ValueMap } from '@natrium/model';
import { availableParallelism } from 'node:os';
import type { CallContext } from '../call-context.js';
import { defineModule } from '../loader/declaration.js';
import { ExecutionError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';
import { matchesGlob } from '../loader/glob.js';
import { matching } from '../patterns/match-apart.js';
import { hasTool, runTool } from '../process/run-tool.js';
import { mounts, usages } from './mounts.js';
import { bootTime, processIds, readProcess } from './proc.js';
import { users } from './name-databases.js';
import {
  diskCounters,
  hoursText,
  interfaceCounters,
  memoryFields,
  plainCounters,
  processorFields,
  processorTimes,
  procText,
} from './status-proc.js';

export const statusModule = defineModule('status', {
  uptime: fn(
    { doc: 'For how long this host has been running, and its load.', returns: 'a map', examples: ['status.uptime'] },
    (_, context) => uptime(context),
  ),
  loadavg: fn({ doc: 'The load of the last 1, 5 and 15 minutes.', examples: ['status.loadavg'] }, async () => {
    const [one, five, fifteen] = (await procText('loadavg')).split(' ').map(Number);
    return { '1-min': float(one ?? 0), '5-min': float(five ?? 0), '15-min': float(fifteen ?? 0) };
  }),
  meminfo: fn({ doc: 'Memory, as /proc/meminfo has it.', examples: ['status.meminfo'] }, async () =>
    memoryFields(await procText('meminfo')),
  ),
  cpuinfo: fn({ doc: 'The processor, as /proc/cpuinfo has it.', examples: ['status.cpuinfo'] }, async () =>
    processorFields(await procText('cpuinfo')),
  ),
  cpustats: fn({ doc: 'Times of the processors, as /proc/stat has them.', examples: ['status.cpustats'] }, async () =>
    processorTimes(await procText('stat')),
  ),
  vmstats: fn({ doc: 'Counters of the memory, as /proc/vmstat has them.', examples: ['status.vmstats'] }, async () =>
    plainCounters(await procText('vmstat')),
  ),
  diskstats: fn({ doc: 'Counters of the block devices.', examples: ['status.diskstats'] }, async () =>
    diskCounters(await procText('diskstats')),
  ),
  netdev: fn({ doc: 'Counters of the network interfaces.', examples: ['status.netdev'] }, async () =>
    interfaceCounters(await procText('net/dev')),
  ),
  diskusage: fn(
    {
      doc: 'Size and free bytes of the file systems that paths are in, or of types of them.',
      params: [{ rest: 'args', doc: 'Whole paths, or types as globs; all that is mounted when not given.' }],
      returns: 'a map from the path to total and available',
      examples: ['status.diskusage', "status.diskusage /tmp 'ext?'"],
    },
    ({ args }) => diskUsage(args.map(pyStr)),
  ),
  nproc: fn({ doc: 'The number of processors.', examples: ['status.nproc'] }, () => availableParallelism()),
  version: fn({ doc: 'The kernel, as /proc/version has it.', examples: ['status.version'] }, async () =>
    (await procText('version')).trim(),
  ),
  procs: fn(
    { doc: 'The processes.', returns: 'a map from the id to user and cmd', examples: ['status.procs'] },
    (_, { signal }) => processes(signal),
  ),
  pid: fn(
    {
      doc: 'The ids of processes in whose command line a regular expression is found, one on each line.',
      params: [{ name: 'sig', type: 'str', doc: 'The expression; one that takes too long is given up.' }],
      returns: 'text, empty when there is none',
      examples: ['status.pid sshd', "status.pid 'nginx: (master|worker)'"],
    },
    ({ sig }, { signal }) => pidsOf(sig, signal),
  ),
});

async function uptime(context: CallContext): Promise<ValueMap> {
  const seconds = Math.floor(Number((await procText('uptime')).split(' ')[0]));
  const since = await bootTime();
  const iso = new Date(since * 1000).toISOString().slice(0, 19);
  return {
    seconds,
    since_iso: iso,
    since_t: since,
    days: Math.floor(seconds / 86_400),
    time: hoursText(seconds),
    // As Salt: not there where the host has no `who`.
    ...((await hasTool('who')) ? { users: await sessions(context) } : {}),
  };
}

/** `who` has a line for each login, and fails where the host keeps no record of them: that is none. */
async function sessions(context: CallContext): Promise<number> {
  const { stdout } = await runTool('who', ['-s'], context);
  return stdout.split('\n').filter((line) => line.trim() !== '').length;
}

async function diskUsage(words: readonly string[]): Promise<ValueMap> {
  const [paths, types] = [words.filter((word) => word.startsWith('/')), words.filter((word) => !word.startsWith('/'))];
  const isMeant = (type: string): boolean => words.length === 0 || types.some((glob) => matchesGlob(glob, type));
  const mounted = (await mounts()).filter(({ type }) => isMeant(type));
  const points = mounted.map(({ point }) => point);
  const asked = [...mounted, ...paths.filter((path) => !points.includes(path)).map((point) => ({ point, type: '' }))];
  const found = await usages.of(asked);
  const rows = asked.flatMap(({ point }, at) => {
    const usage = found[at];
    if (usage !== undefined)
      return [[point, { total: usage.total * usage.bytes, available: usage.available * usage.bytes }] as const];
    if (paths.includes(point)) throw new ExecutionError(`${point} cannot be looked at`);
    return [];
  });
  return Object.fromEntries(rows);
}

async function pidsOf(pattern: string, signal: AbortSignal): Promise<string> {
  const others = Object.entries(await processes(signal)).filter(([pid]) => Number(pid) !== process.pid);
  const commands = others.map(([, facts]) => (isMap(facts) ? pyStr(facts['cmd'] ?? '') : ''));
  const found = new Set(await matching({ source: pattern, flags: 0 }, commands));
  return others
    .filter((_, at) => found.has(commands[at] ?? ''))
    .map(([pid]) => pid)
    .join('\n');
}

async function processes(signal: AbortSignal): Promise<ValueMap> {
  const names = new Map((await users(signal)).map(({ uid, name }) => [uid, name]));
  const found: [string, ValueMap][] = [];
  // One after the other: a host may have more processes than this one may open files.
  for (const pid of await processIds()) {
    const facts = await readProcess(pid);
    if (facts === undefined) continue;
    const [uid = -1] = facts.uids;
    const cmd = facts.cmdline.length === 0 ? `[${facts.name}]` : facts.cmdline.join(' ').slice(0, 4096);
    found.push([String(pid), { user: names.get(uid) ?? String(uid), cmd }]);
  }
  return Object.fromEntries(found);
}
