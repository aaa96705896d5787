/**
 * Minions of which two agents are at work under one identity, as after a host was copied with its key: each of their jobs runs on both.
 *
 * Every agent announces keys of its own, and the newest announcement counts. Who is heard under an older one long after it was followed,
 * while the newest is heard before and after, is another agent: one that was started anew is gone, and of one whose clock was set back
 * nobody is heard under the newest.
 */
import { type KnownParty, namesOf } from '@natrium/envelope';
import { keepLatest } from '@natrium/model';

/** What was sealed before a new announcement is on its way for half of that at most. */
const LONG_AFTER_MS = 60_000;
const TOLD_AGAIN_MS = 3_600_000;
/** Identities that are remembered of each kind, the latest. */
const MAX_KEPT = 10_000;

export interface TwoAtOncePorts {
  /** Of an identity by its key, hexadecimal. */
  newestOf(key: string): KnownParty | undefined;
  /** At most once an hour for each identity. */
  tell(key: string): void;
  now(): number;
}

export class TwoAtOnce {
  /** By the identity's key: the key id of the newest announcement, when last somebody was heard under an older one. */
  readonly #elders = new Map<string, string>();
  readonly #told = new Map<string, number>();

  constructor(private readonly ports: TwoAtOncePorts) {}

  /** Takes note of whom something was heard from just now. */
  heard(party: KnownParty): void {
    const { key, keyId } = namesOf(party);
    const newest = this.ports.newestOf(key);
    if (newest === undefined) return;
    const newestId = namesOf(newest).keyId;
    if (newestId === keyId) {
      if (this.#elders.size > 0) this.#heardNewest(key, keyId);
    } else if (this.ports.now() > newest.notBefore + LONG_AFTER_MS) {
      this.#elders.set(key, newestId);
      keepLatest(this.#elders, MAX_KEPT);
    }
  }

  #heardNewest(key: string, keyId: string): void {
    const elder = this.#elders.get(key);
    this.#elders.delete(key);
    if (elder !== keyId) return;
    const now = this.ports.now();
    if (now < (this.#told.get(key) ?? -TOLD_AGAIN_MS) + TOLD_AGAIN_MS) return;
    this.#told.delete(key);
    this.#told.set(key, now);
    keepLatest(this.#told, MAX_KEPT);
    this.ports.tell(key);
  }
}
