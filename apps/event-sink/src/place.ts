/**
 * How far a sink has delivered, in the bucket `sinks`: kept only after the destination has committed, and held by one replica at
 * a time. The holder writes it anew every two seconds; another takes over what has stood still for six by its own clock. A
 * holder that was only cut off finds its place moved at its next word.
 *
 * Spec: spec/wire.md#sink-place.
 */
import { type Store, StoredCorrupt } from '@natrium/bus';
import { decode, encode, type Wire } from '@natrium/envelope';
import { readAs, records, writeAs } from '@natrium/wire';

/** The last event that is delivered: a message of the journal, and the index of the event in it. */
export interface At {
  readonly sequence: number;
  readonly index: number;
}

/** The index behind every event of a message. */
export const WHOLE = 99_999;
export const RENEW_MS = 2000;
const HELD_MS = 6000;
const NOBODY = '';

export interface PlaceOptions {
  /** Of the sink. */
  readonly name: string;
  readonly instance: string;
  /** Where a sink begins that has no place yet. */
  start(): Promise<At>;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
}

export class Place {
  #at: At = { sequence: 0, index: WHOLE };
  #revision = 0;
  #held = false;
  #seen = { revision: 0, since: 0 };
  #writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: Store,
    private readonly options: PlaceOptions,
  ) {}

  get at(): At {
    return this.#at;
  }

  /** @returns false while another replica holds it. @throws {Error} When the store does not answer. */
  async take(): Promise<boolean> {
    const found = await this.#read();
    if (found === undefined) {
      this.#at = await this.options.start();
      return this.#took(await this.store.create(this.#key, this.#record()));
    }
    if (found.holder !== NOBODY && !this.#stoodStill(found.revision)) return false;
    this.#at = { sequence: found.sequence, index: found.index };
    return this.#took(await this.store.update(this.#key, this.#record(), found.revision));
  }

  /** Says how far the sink is now; the next renewal writes it. */
  move(at: At): void {
    this.#at = at;
  }

  /** @returns false when another replica has taken over. @throws {Error} When it is not known. */
  renew(): Promise<boolean> {
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => undefined);
    return written;
  }

  /** Hands it back, so that another need not wait. */
  async release(): Promise<void> {
    await this.#writing;
    try {
      await this.#write(NOBODY);
    } finally {
      this.#held = false;
    }
  }

  async #write(holder = this.options.instance): Promise<boolean> {
    while (this.#held) {
      const revision = await this.store.update(this.#key, this.#record(holder), this.#revision);
      if (revision !== undefined) {
        this.#revision = revision;
        return true;
      }
      // A write whose answer was lost, or a value that was sealed anew, is still ours.
      const found = await this.#read();
      this.#held = found?.holder === this.options.instance;
      this.#revision = found?.revision ?? 0;
    }
    return false;
  }

  async #read(): Promise<(records.SinkPlace & { readonly revision: number }) | undefined> {
    try {
      const entry = await this.store.get(this.#key);
      if (entry === undefined) return undefined;
      return { ...readAs(records.SinkPlace, decode(entry.value)), revision: entry.revision };
    } catch (cause) {
      if (!(cause instanceof StoredCorrupt)) throw cause;
      // Its key is gone: all that is kept comes again, rather than that anything is left out.
      const lost = { holder: NOBODY, sequence: 0, index: WHOLE };
      const revision = await this.store.put(this.#key, encode(writeAs(records.SinkPlace, lost) as Wire));
      return { ...lost, revision };
    }
  }

  #stoodStill(revision: number): boolean {
    const now = this.options.now();
    if (this.#seen.revision !== revision) this.#seen = { revision, since: now };
    return now - this.#seen.since >= HELD_MS;
  }

  #took(revision: number | undefined): boolean {
    this.#held = revision !== undefined;
    this.#revision = revision ?? 0;
    return this.#held;
  }

  #record(holder = this.options.instance): Uint8Array {
    return encode(writeAs(records.SinkPlace, { holder, ...this.#at }) as Wire);
  }

  get #key(): string {
    return `p.${this.options.name}`;
  }
}
