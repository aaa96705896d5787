/**
 * How far a sink has delivered, in the bucket `sinks`: kept only after the destination has committed, and held by one replica at
 * a time. The holder writes it anew every two seconds; another takes over what has stood still for six by its own clock. A
 * holder that was only cut off finds its place moved at its next word. A place that does not open may be that of a holder who has
 * newer storage keys: it is taken for lost only when it has stood still for as long as a key may be late.
 *
 * Spec: spec/wire.md#sink-place.
 */
import { type Store, StoredCorrupt } from '@natrium/bus';
import { decode, encode, type Wire } from '@natrium/envelope';
import { readAs, records, writeAs } from '@natrium/wire';
import type { Logger } from 'pino';
import { LATE_MS } from './late-keys.js';

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
  readonly log: Pick<Logger, 'warn'>;
}

type Found = records.SinkPlace & {
  readonly revision: number;
  /** It does not open: who holds it is not known, nor how far the sink is. */
  readonly isLost: boolean;
};

export class Place {
  #at: At = { sequence: 0, index: WHOLE };
  #revision = 0;
  #held = false;
  /** When the last write of it began that was taken. */
  #writtenAt = 0;
  #seen = { revision: 0, since: 0 };
  #toldOfLost = false;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: Store,
    private readonly options: PlaceOptions,
  ) {}

  get at(): At {
    return this.#at;
  }

  /** It should have been written long ago, as after a stall of this process: another may hold it by now. */
  get isOverdue(): boolean {
    return this.options.now() - this.#writtenAt >= HELD_MS - RENEW_MS;
  }

  /** @returns false while another replica holds it. @throws {Error} When the store does not answer. */
  async take(): Promise<boolean> {
    const began = this.options.now();
    const found = await this.#read();
    if (found === undefined) {
      this.#at = await this.options.start();
      return this.#took(await this.store.create(this.#key, this.#record()), began);
    }
    if (found.isLost) this.#tellOfLost();
    if ((found.isLost || found.holder !== NOBODY) && !this.#stoodStill(found)) return false;
    this.#at = { sequence: found.sequence, index: found.index };
    const isTaken = this.#took(await this.store.update(this.#key, this.#record(), found.revision), began);
    if (isTaken && found.isLost) this.#warn('the place of a sink is lost: all that is kept is delivered again');
    return isTaken;
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
      const began = this.options.now();
      const revision = await this.store.update(this.#key, this.#record(holder), this.#revision);
      if (revision !== undefined) {
        this.#revision = revision;
        this.#writtenAt = began;
        return true;
      }
      // A write whose answer was lost, or a value that was sealed anew, is still ours.
      const found = await this.#read();
      this.#held = found?.holder === this.options.instance;
      this.#revision = found?.revision ?? 0;
    }
    return false;
  }

  async #read(): Promise<Found | undefined> {
    try {
      const entry = await this.store.get(this.#key);
      if (entry === undefined) return undefined;
      this.#toldOfLost = false;
      return { ...readAs(records.SinkPlace, decode(entry.value)), revision: entry.revision, isLost: false };
    } catch (cause) {
      if (!(cause instanceof StoredCorrupt) || cause.revision === undefined) throw cause;
      // Where its key is gone, all that is kept comes again, rather than that anything is left out.
      return { holder: NOBODY, sequence: 0, index: WHOLE, revision: cause.revision, isLost: true };
    }
  }

  #stoodStill({ revision, isLost }: Found): boolean {
    const now = this.options.now();
    if (this.#seen.revision !== revision) this.#seen = { revision, since: now };
    return now - this.#seen.since >= (isLost ? LATE_MS : HELD_MS);
  }

  #tellOfLost(): void {
    if (this.#toldOfLost) return;
    this.#toldOfLost = true;
    this.#warn(
      'the place of a sink does not open here: its storage key is missing in pki/storage; ' +
        'where nobody has moved it for five minutes, it counts as lost',
    );
  }

  #warn(sentence: string): void {
    this.options.log.warn({ sink: this.options.name }, sentence);
  }

  #took(revision: number | undefined, began: number): boolean {
    this.#held = revision !== undefined;
    this.#writtenAt = began;
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
