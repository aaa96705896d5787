/**
 * The jobs that late returns belong to, each read once for all its returns. The record of a job to ten thousand minions is most of a
 * megabyte, and when one of their returns is late, all are. Reading it for each of them would stop the gateway (measured: with 256 MiB
 * of answers on their way to it, the broker cuts it off).
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { records } from '@natrium/wire';
import { Readings } from './readings.js';

/** How many jobs are remembered. What is used of them (members, caller, digest) never changes. */
const REMEMBERED = 4;
/** How often a job is read before its returns are refused: every return that waits for it would be sent again. */
const TRIES = 3;
const AGAIN_MS = 1000;

export class RecentJobs {
  readonly #found: Readings<records.JobRecord | undefined>;

  constructor(
    private readonly read: (jid: string) => Promise<records.JobRecord | undefined>,
    private readonly wait: (ms: number) => Promise<void> = (ms) => pause(ms),
  ) {
    this.#found = new Readings((jid) => this.#read(jid), {
      most: REMEMBERED,
      keeps: (record) => record !== undefined,
    });
  }

  /** Whoever asks for a job that is being read waits for that; one that was not found is looked for again. */
  readonly find = (jid: string): Promise<records.JobRecord | undefined> => this.#found.find(jid);

  async #read(jid: string): Promise<records.JobRecord | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.read(jid);
      } catch (cause) {
        if (attempt >= TRIES) throw cause;
        await this.wait(AGAIN_MS * attempt);
      }
    }
  }
}
