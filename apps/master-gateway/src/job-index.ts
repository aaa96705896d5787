/**
 * Which job has a jid. Whoever takes it first has it: for two minutes and more that is in the broker's memory, where it costs no fsync, and
 * longer than any two gateways' clocks may differ. For as long as jobs are kept it is in groups beside them, written while nobody waits.
 *
 * Spec: spec/envelope.md#durability.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '@natrium/bus';
import { encode, fromHex, toHex, type Wire } from '@natrium/envelope';
import { readAs, records, writeAs } from '@natrium/wire';
import { BySecond } from './by-second.js';

const TAKEN_MS = 120_000;
const AGAIN_MS = 1000;
/** Without a broker nothing can be written any more. */
const CLOSE_MS = 1000;

/**
 * How long the broker remembers who has taken a jid: one gateway's clock may be ahead by the skew and another's behind, and as much
 * again is for the time that a message takes.
 */
export function takenMs(skewMs: number): number {
  return Math.max(TAKEN_MS, 4 * skewMs);
}

export class JobIndex {
  readonly #kept: BySecond<records.IndexEntry>;
  /** Being written, by the job's place. */
  readonly #writing = new Map<string, Promise<void>>();
  #isClosed = false;

  /**
   * @param taken In the broker's memory: places of jobs by jid.
   * @param store Of the jobs.
   */
  constructor(
    private readonly taken: Store,
    store: Store,
    instance: string,
  ) {
    const read = (group: Wire) => readAs(records.IndexGroup, group);
    this.#kept = new BySecond(store, { letter: 'i', instance, read });
  }

  /** @returns What `giveBack` wants; undefined when a job has this jid already. */
  take(jid: string, place: string): Promise<number | undefined> {
    return this.taken.create(jid, fromHex(place));
  }

  giveBack(jid: string, taking: number): Promise<void> {
    return this.taken.delete(jid, taking);
  }

  /** The taking of this jid for this job, by whomever. */
  async takenFor(jid: string, place: string): Promise<number | undefined> {
    const entry = await this.taken.get(jid);
    return entry !== undefined && toHex(entry.value) === place ? entry.revision : undefined;
  }

  /** Resolves when it is durable, or this process ends; it is tried until then. */
  keep(jid: string, place: string): Promise<void> {
    const known = this.#writing.get(place);
    if (known !== undefined) return known;
    const writing = this.#keep(jid, place).finally(() => this.#writing.delete(place));
    this.#writing.set(place, writing);
    return writing;
  }

  async #keep(jid: string, place: string): Promise<void> {
    const bytes = encode(writeAs(records.IndexGroup, [{ jid, place: fromHex(place) }]) as Wire);
    while (!this.#isClosed) {
      try {
        await this.#kept.add(jid, bytes);
        return;
      } catch {
        // The broker takes no writes now, which its store's alert has told.
        await pause(AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  /** Whether the index of this job is still being written. */
  isWriting(place: string): boolean {
    return this.#writing.has(place);
  }

  /** @returns The place of the job that has this jid. */
  async find(jid: string): Promise<string | undefined> {
    const entry = await this.taken.get(jid);
    if (entry !== undefined) return toHex(entry.value);
    const found = (await this.#kept.around(jid)).find((one) => one.jid === jid);
    return found === undefined ? undefined : toHex(found.place);
  }

  /** What is being written is durable before the connection closes. */
  async close(): Promise<void> {
    await Promise.race([Promise.all(this.#writing.values()), pause(CLOSE_MS, undefined, { ref: false })]);
    this.#isClosed = true;
  }
}
