/** What runs on this host, as Linux tells it: which services share a Unix user, how many files they and the broker may open. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Finding, fine, warning } from './finding.js';

export interface RunningProcess {
  readonly app: string;
  readonly pid: number;
  readonly uid: number;
  /** How many files it may have open; undefined where the kernel does not say. */
  readonly files: number | undefined;
}

/** A connection each for minions, and files besides. */
const FILES = 4096;
const BROKER = 'nats-server';

/** Each service, and its role. */
const APPS = new Map([
  ['acl-service', 'acl'],
  ['master-gateway', 'gateway'],
  ['runner-service', 'runner'],
  ['event-sink', 'sink'],
]);

/** The limits of those who need the files: that of the shell that asks says nothing of them. */
export function checkLimits(running: readonly Pick<RunningProcess, 'app' | 'pid' | 'files'>[]): readonly Finding[] {
  const known = running.flatMap((one) => (one.files === undefined ? [] : [{ ...one, files: one.files }]));
  const few = known.filter(({ files }) => files < FILES);
  if (known.length > 0 && few.length === 0)
    return [
      fine(
        'file limit',
        `${[...new Set(known.map(({ app }) => app))].join(', ')} may have ${String(FILES)} files open, or more`,
      ),
    ];
  return few.map(({ app, pid, files }) =>
    warning(
      'file limit',
      `${app} (process ${String(pid)}) may have ${String(files)} files open: the broker needs one for each minion, a gateway one for each client`,
      `set LimitNOFILE= of its unit, or ulimit -n where it is started, to ${String(FILES)} or more, and start it again`,
    ),
  );
}

/** Services that could read each other's keys. */
export function checkUsers(running: readonly Pick<RunningProcess, 'app' | 'uid'>[]): readonly Finding[] {
  const uids = [...new Set(running.map(({ uid }) => uid))];
  const shared = uids.flatMap((uid) => {
    const own = running.filter((one) => one.uid === uid);
    const apps = [...new Set(own.map(({ app }) => app))].sort();
    return apps.length > 1 ? [{ uid, apps }] : [];
  });
  if (shared.length === 0)
    return running.length === 0 ? [] : [fine('unix users', 'each service has a user of its own')];
  return shared.map(({ uid, apps }) =>
    warning(
      'unix users',
      `${apps.join(', ')} run as one Unix user (${String(uid)}): each can read the keys of the others`,
      'give each service a user of its own, and only the key files of its role',
    ),
  );
}

/** The services of this cluster that run on this host. */
export function runningServices(configDir: string): readonly RunningProcess[] {
  return running((words) => {
    const path = words.find((word) => basename(word) === 'main.mjs');
    const app = path?.split('/').at(-2) ?? '';
    const role = APPS.get(app);
    // Each role has a folder of its own beside it, where docs/operations.md is followed.
    const isOurs = role !== undefined && words.some((word) => word === configDir || word === `${configDir}-${role}`);
    return isOurs ? app : undefined;
  });
}

/** The brokers that run on this host: which of them is this cluster's, their command lines do not say. */
export function runningBrokers(): readonly RunningProcess[] {
  return running(([program = '']) => (basename(program) === BROKER ? BROKER : undefined));
}

/** @param appOf Tells by its command line whether a process is looked for, and what it is. */
function running(appOf: (words: readonly string[]) => string | undefined): readonly RunningProcess[] {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => processAt(pid, appOf)); // prettier-ignore
}

function processAt(pid: string, appOf: Parameters<typeof running>[0]): readonly RunningProcess[] {
  try {
    const app = appOf(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'));
    if (app === undefined) return [];
    return [{ app, pid: Number(pid), uid: lstatSync(`/proc/${pid}`).uid, files: filesOf(pid) }];
  } catch {
    return []; // it ended meanwhile
  }
}

function filesOf(pid: string): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1];
    if (soft === undefined) return undefined;
    return soft === 'unlimited' ? Infinity : Number(soft);
  } catch {
    return undefined; // a kernel that tells only whoever may look into it
  }
}
