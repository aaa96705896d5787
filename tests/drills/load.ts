/** The load of a drill: so many jobs a second, to one minion or to all, waited for or not, and a runner now and then. */
import { setTimeout as pause } from 'node:timers/promises';
import type { MasterClient } from '@natrium/client';
import type { JobNews } from '@natrium/model';

export interface SentJob {
  readonly word: string;
  readonly waited: boolean;
  readonly sent: number;
  /** When its caller heard the end; undefined while it waits. */
  ended: number | undefined;
  jid: string | undefined;
  refusal: string | undefined;
  /** How often a return of each minion was told. */
  readonly heard: Map<string, number>;
  /** When the return of each minion was told. */
  readonly heardAt: Map<string, number>;
  /** Minions that died over it: it may have run there, and may not. */
  readonly interrupted: Set<string>;
  absent: number;
}

export interface RunAsked {
  readonly sent: number;
  ended: number | undefined;
  failure: string | undefined;
}

const TIMEOUT_S = 10;
const TO_ALL_EVERY = 5;
const ASYNC_EVERY = 10;
const RUN_EVERY_MS = 500;
const RUN_TIMEOUT_S = 5;
/** Each agent has a working folder of its own: one path is another ledger on each. */
export const LEDGER = '/proc/self/cwd/ledger';

export class Load {
  readonly jobs: SentJob[] = [];
  readonly runs: RunAsked[] = [];
  readonly #waiting: Promise<void>[] = [];

  constructor(
    private readonly client: MasterClient,
    private readonly minions: readonly string[],
    private readonly jobsPerSecond: number,
    private readonly ledger = LEDGER,
  ) {}

  /** Sends until `ms` are over or `isOver`; what the clock has missed is sent at once, so that the rate holds. */
  async run(ms: number, isOver = () => false): Promise<void> {
    const began = performance.now();
    const runs = setInterval(() => {
      this.#askRun();
    }, RUN_EVERY_MS);
    for (;;) {
      const passed = Math.min(performance.now() - began, ms);
      while (this.jobs.length < (passed * this.jobsPerSecond) / 1000) this.#send(this.jobs.length);
      if (passed >= ms || isOver()) break;
      await pause(1000 / this.jobsPerSecond);
    }
    clearInterval(runs);
  }

  /** Resolves when every caller has heard its end. */
  async settled(): Promise<void> {
    await Promise.all(this.#waiting);
  }

  #send(n: number): void {
    const word = `job${String(n)}`;
    const toAll = n % TO_ALL_EVERY === 0;
    const one = this.minions[n % this.minions.length] ?? '';
    const waited = n % ASYNC_EVERY !== 3;
    const job: SentJob = {
      word, waited, sent: performance.now(), ended: undefined, jid: undefined, refusal: undefined,
      heard: new Map(), heardAt: new Map(), interrupted: new Set(), absent: 0,
    }; // prettier-ignore
    this.jobs.push(job);
    const ask = {
      tgt: toAll ? [...this.minions] : [one], tgtType: 'list', funs: ['file.append'], args: [[this.ledger, word]],
      timeout: TIMEOUT_S, returner: '', returnerOptions: {}, options: {},
    }; // prettier-ignore
    this.#waiting.push(
      new Promise((resolve) => {
        this.client.publishTo(ask, waited ? 'all' : 'jid', (news) => {
          if (!note(job, news)) return;
          job.ended = performance.now();
          resolve();
        });
      }),
    );
  }

  #askRun(): void {
    const run: RunAsked = { sent: performance.now(), ended: undefined, failure: undefined };
    this.runs.push(run);
    const asked = this.client.run({ fun: 'test.echo', args: ['x'], timeout: RUN_TIMEOUT_S }).then((answer) => {
      run.ended = performance.now();
      if (!answer.ok) run.failure = answer.error.code;
    });
    this.#waiting.push(asked);
  }
}

export function isInterrupted(ret: unknown): boolean {
  return ret === 'interrupted, outcome unknown';
}

/** @returns true after the last news. */
function note(job: SentJob, news: JobNews): boolean {
  if (news.type === 'started') job.jid = news.jid;
  else if (news.type === 'return') {
    job.heard.set(news.id, (job.heard.get(news.id) ?? 0) + 1);
    job.heardAt.set(news.id, performance.now());
    if (isInterrupted(news.ret)) job.interrupted.add(news.id);
  } else if (news.type === 'refused') job.refusal = news.refusal.code;
  else job.absent = news.absent.length;
  return news.type === 'end' || news.type === 'refused' || (!job.waited && news.type === 'started');
}
