/**
 * What an agent keeps when it joins again: what has run, what runs now, the returns that no gateway has stored yet, the bus of
 * this host, and its returners. A job that runs meanwhile goes on; its return and its events leave with the link that is live then.
 *
 * Only what an earlier *process* began and did not return is told as interrupted.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Clock } from '@natrium/bus';
import type { MinionConfig } from '@natrium/config';
import type { MinionReturn } from '@natrium/flow';
import type { Jid } from '@natrium/model';
import type { Returners } from '@natrium/modules';
import type { Logger } from 'pino';
import { AgentEvents } from './events/agent-events.js';
import { Finishing } from './jobs/finishing.js';
import { JobsNow } from './execution/jobs-now.js';
import type { LiveLink } from './link/live-link.js';
import { Outbox } from './jobs/outbox.js';
import { agentReturners, type OwnReturners } from './execution/own-returners.js';
import { recordFolder, RunRecord } from './disk/run-record.js';
import { RETURNS_SHARE, Spool } from './disk/spool.js';

const HOUR_MS = 3_600_000;
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

interface RunFiles {
  readonly record: RunRecord;
  readonly spool: Spool;
}

export class Kept {
  readonly jobs = new JobsNow();
  readonly finishing: Finishing;
  readonly clock: Clock;
  #files: RunFiles | undefined;
  #outbox: Outbox | undefined;
  #events: AgentEvents | undefined;
  #returners: OwnReturners | undefined;

  constructor(
    private readonly config: MinionConfig,
    private readonly log: Logger,
  ) {
    this.finishing = new Finishing(log);
    this.clock = new Clock(config.clock_skew * 1000);
  }

  files(): RunFiles {
    return (this.#files ??= this.#open());
  }

  async events(): Promise<AgentEvents> {
    if (this.#events !== undefined) return this.#events;
    const events = new AgentEvents(this.config, this.clock, this.log);
    this.#events = events;
    await events.open();
    return events;
  }

  async returners(): Promise<Returners> {
    this.#returners ??= await agentReturners(this.config, this.log);
    return this.#returners.returners;
  }

  /** The way out for every return from now on, also for those of jobs that began before. */
  outboxOn(link: LiveLink, { record, spool }: RunFiles): Outbox {
    const outbox = new Outbox(link, spool, record, (cause) => {
      this.log.error({ err: cause }, 'a return could not be sent');
    });
    this.#outbox = outbox;
    link.whenBack(() => {
      outbox.brokerIsBack();
    });
    return outbox;
  }

  /** One that comes while the agent joins again waits in the spool. */
  deliver(ret: MinionReturn, asked?: number): void {
    this.#outbox?.deliver(ret, asked);
  }

  sendSpooled(): void {
    this.#outbox?.sendSpooled();
  }

  close(): void {
    for (const part of [this.#returners, this.#events, this.#files?.record, this.#files?.spool]) {
      try {
        part?.close();
      } catch (cause) {
        // A disk on another host may say only then that it took nothing; the others are closed all the same, and the process ends.
        this.#onProblem('what has run or waits may not all be kept for the next start', cause);
      }
    }
  }

  #open() {
    const record = this.#openRecord();
    const untold = new Map(record.unfinished.map(({ digest, jid }) => [digest, jid]));
    const { cachedir, keep_returns: keepHours, spool_max_bytes: maxBytes } = this.config;
    const spool = new Spool({
      folder: join(cachedir, 'spool'),
      keepMs: keepHours * HOUR_MS,
      maxBytes: maxBytes * RETURNS_SHARE,
      now: () => this.clock.now(),
      uptime: () => performance.now(),
      onProblem: this.#onProblem,
      onDropped: (digest) => {
        // It ran and was returned: nobody is to hear that it was interrupted.
        untold.delete(digest);
        record.finish(digest);
      },
    });
    for (const [digest, jid] of untold) {
      if (spool.get(digest) === undefined) spool.put(interrupted(digest, jid as Jid));
    }
    return { record, spool };
  }

  #openRecord(): RunRecord {
    const { clock } = this;
    const record = new RunRecord({
      folder: recordFolder(this.config),
      bootId: existsSync(BOOT_ID) ? readFileSync(BOOT_ID, 'utf8').trim() : 'unknown',
      now: () => clock.now(),
      onProblem: this.#onProblem,
    });
    if (record.doubt !== undefined) {
      record.refuseIssuedBefore(clock.now() + clock.skewMs);
      this.log.error(`${record.doubt}: requests from before now are refused, since they may have run`);
    }
    return record;
  }

  readonly #onProblem = (problem: string, cause?: unknown): void => {
    this.log.error({ err: cause }, problem);
  };
}

function interrupted(digest: string, jid: Jid) {
  const outcome = { ret: 'interrupted, outcome unknown', retcode: 1, success: false, out: null };
  return { jid, digest, instance: '', status: 'interrupted', code: null, outcome } as const;
}
