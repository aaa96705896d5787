/**
 * The jobs that late returns belong to: read once for all of them. The record of a job to ten thousand minions is most of a
 * megabyte, and when their returns are late they are all late: read for each of them, it stops the gateway (measured: 256 MiB of
 * answers on their way to it, and the broker cuts it off).
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { records } from '@natrium/wire';
import { Readings } from './readings.js';

/** Of members, caller and digest nothing changes while a job is kept. */
const REMEMBERED = 4;
/** A reading that fails would fail for all who wait for it, and each of their returns would come again. */
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
