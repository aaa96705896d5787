/**
 * The jobs that run now, and the means to end one: a signal to the processes that it started, or the end of its waiting.
 *
 * A job whose functions run in this process has no process of its own: what would end a process ends the waiting for it.
 */
import { constants } from 'node:os';
import { InFlight } from '@natrium/model';
import type { ProcessPort, RunningJob, RunningJobs, SignalSent } from '@natrium/modules';

const { SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM } = constants.signals;
const ENDING: ReadonlySet<number> = new Set([SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM]);
/** How long processes have to end by themselves after a signal that asks them to. */
const GRACE_MS = 5000;

/** A job that runs now, for whoever runs it. */
export type JobControl = Pick<Entry, 'jid' | 'signal' | 'isEnded' | 'processes' | 'finish'>;

class Entry implements ProcessPort {
  readonly groups = new Set<number>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** Why it is being ended, from the first signal that asked for it. */
  #reason: string | undefined;
  #isEnded = false;

  constructor(
    readonly job: RunningJob,
    private readonly graceMs: number,
    private readonly onFinished: () => void,
  ) {}

  get jid(): string {
    return this.job.jid;
  }

  /** Node makes it when it is first asked for, which costs more than most functions take. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get processes(): ProcessPort {
    return this;
  }

  began(group: number): void {
    this.groups.add(group);
  }

  ended(group: number): void {
    this.groups.delete(group);
    // What would run next in the same job does not.
    if (this.groups.size === 0 && this.#reason !== undefined) this.#abort();
  }

  /** The job is done. */
  finish(): void {
    clearTimeout(this.#timer);
    this.onFinished();
  }

  end(signal: number): void {
    this.#reason ??= `signal ${String(signal)} was sent to its job`;
    if (this.groups.size === 0 || signal === SIGKILL) this.#abort();
    else
      this.#timer ??= setTimeout(() => {
        this.#abort();
      }, this.graceMs);
  }

  #abort(): void {
    this.#isEnded = true;
    this.#stop.abort(this.#reason);
  }
}

export class JobsNow implements RunningJobs {
  readonly #entries = new InFlight<string, Entry>();

  constructor(private readonly graceMs = GRACE_MS) {}

  running(): readonly RunningJob[] {
    return [...this.#entries.values()].map(({ job }) => job);
  }

  begin(job: RunningJob): JobControl {
    const entry = new Entry(job, this.graceMs, () => this.#entries.delete(job.jid));
    this.#entries.set(job.jid, entry);
    return entry;
  }

  send(jid: string, signal: number): SignalSent {
    const entry = this.#entries.get(jid);
    if (entry === undefined) return { to: 'nobody' };
    const pids = [...entry.groups];
    if (pids.length === 0 && !ENDING.has(signal)) return { to: 'agent' };
    if (ENDING.has(signal)) entry.end(signal);
    for (const pid of pids) sendToGroup(pid, signal);
    return pids.length > 0 ? { to: 'processes', pids } : { to: 'waiting' };
  }
}

function sendToGroup(pid: number, signal: number): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}
