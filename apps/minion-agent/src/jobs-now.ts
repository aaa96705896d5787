/**
 * The jobs that run now, and the means to end one: a signal to the processes that it started, or the end of its waiting.
 *
 * A job whose functions run in this process has no process of its own: what would end a process ends the waiting for it.
 */
import { constants } from 'node:os';
import type { ProcessPort, RunningJob, RunningJobs, SignalSent } from '@natrium/modules';

export interface JobControl {
  readonly signal: AbortSignal;
  readonly processes: ProcessPort;
  /** The job is done. */
  finish(): void;
}

interface Entry {
  readonly job: RunningJob;
  readonly stop: AbortController;
  readonly groups: Set<number>;
  timer?: NodeJS.Timeout;
  /** Why it is being ended, from the first signal that asked for it. */
  reason?: string;
}

const { SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM } = constants.signals;
const ENDING: ReadonlySet<number> = new Set([SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM]);
/** How long processes have to end by themselves after a signal that asks them to. */
const GRACE_MS = 5000;

export class JobsNow implements RunningJobs {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly graceMs = GRACE_MS) {}

  has(jid: string): boolean {
    return this.#entries.has(jid);
  }

  running(): readonly RunningJob[] {
    return [...this.#entries.values()].map(({ job }) => job);
  }

  begin(job: RunningJob): JobControl {
    const entry: Entry = { job, stop: new AbortController(), groups: new Set() };
    this.#entries.set(job.jid, entry);
    return {
      signal: entry.stop.signal,
      processes: {
        began: (group) => {
          entry.groups.add(group);
        },
        ended: (group) => {
          entry.groups.delete(group);
          // What would run next in the same job does not.
          if (entry.groups.size === 0 && entry.reason !== undefined) entry.stop.abort(entry.reason);
        },
      },
      finish: () => {
        clearTimeout(entry.timer);
        this.#entries.delete(job.jid);
      },
    };
  }

  send(jid: string, signal: number): SignalSent {
    const entry = this.#entries.get(jid);
    if (entry === undefined) return { to: 'nobody' };
    const pids = [...entry.groups];
    if (pids.length === 0 && !ENDING.has(signal)) return { to: 'agent' };
    if (ENDING.has(signal)) this.#end(entry, signal);
    for (const pid of pids) sendToGroup(pid, signal);
    return pids.length > 0 ? { to: 'processes', pids } : { to: 'waiting' };
  }

  #end(entry: Entry, signal: number): void {
    entry.reason ??= `signal ${String(signal)} was sent to its job`;
    if (entry.groups.size === 0 || signal === SIGKILL) entry.stop.abort(entry.reason);
    else entry.timer ??= setTimeout(() => entry.stop.abort(entry.reason), this.graceMs);
  }
}

function sendToGroup(pid: number, signal: number): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}
