/**
 * Under which digest the job of a jid is (`j.<jid>`): written while the minions hear of the job, so that none of them waits for it.
 *
 * Spec: spec/envelope.md#durability.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '@natrium/bus';
import { fromHex, toHex } from '@natrium/envelope';

const AGAIN_AFTER_MS = [400, 1000, 5000, 20_000];

export class JobIndex {
  /** First tries that are under way, by jid. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(private readonly store: Store) {}

  /** Begins to write where the job is. Without it the job is found by its request alone, until somebody takes it over. */
  write(jid: string, digest: string): void {
    const writing = this.#put(jid, digest)
      .catch(() => void this.#putLater(jid, digest))
      .finally(() => this.#writing.delete(jid));
    this.#writing.set(jid, writing);
  }

  /**
   * Resolves when a job that was begun here is found by its jid, everywhere: before that nobody else is told of it. A broker that
   * does not take it at the first try holds nobody up, since the job runs: it is written later.
   */
  async written(jid: string): Promise<void> {
    await this.#writing.get(jid);
  }

  async digestOf(jid: string): Promise<string | undefined> {
    const entry = await this.store.get(`j.${jid}`);
    return entry === undefined ? undefined : toHex(entry.value);
  }

  /** Writes it where its gateway may have died before. false: the jid is another job's. */
  async claim(jid: string, digest: string): Promise<boolean> {
    if ((await this.store.create(`j.${jid}`, fromHex(digest))) !== undefined) return true;
    return (await this.digestOf(jid)) === digest;
  }

  async #put(jid: string, digest: string): Promise<void> {
    await this.store.put(`j.${jid}`, fromHex(digest));
  }

  async #putLater(jid: string, digest: string): Promise<void> {
    for (const ms of AGAIN_AFTER_MS) {
      await pause(ms, undefined, { ref: false });
      try {
        await this.#put(jid, digest);
        return;
      } catch {
        // The broker takes nothing yet; it has said so to the operator.
      }
    }
  }
}
