/**
 * The keys that one request of the wheel takes, one after the other, and what became of each. When its time is over no key is begun
 * any more; the one that is under way then is waited for, since the request is recorded before it is answered.
 */
import type { KeyRequests } from '@natrium/flow';
import { ExecutionError } from '@natrium/modules';
import type { KeyChange, KeyEntry } from '@natrium/runners';
import type { KeyOutcome } from '../admin-handler.js';
import { outcomeTo } from './key-requests.js';

export class KeyTaking {
  readonly #outcomes: KeyOutcome[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly requests: Pick<KeyRequests, 'handle'>,
    /** Aborted when the time of the request is over. */
    private readonly signal: AbortSignal,
  ) {}

  /** @throws {ExecutionError} When it may not be, or somebody was faster. */
  async change(change: KeyChange, { id, fingerprint }: Pick<KeyEntry, 'id' | 'fingerprint'>): Promise<void> {
    this.signal.throwIfAborted();
    const note = outcomeTo(change, (key) => this.#outcomes.push(key));
    const changing = this.requests.handle(`key.${change}`, [{ id, fingerprint }], note);
    this.#last = changing;
    const done = await changing;
    if (!done.ok) throw new ExecutionError(done.error.sentence);
  }

  /** Of every key that was begun. */
  async outcomes(): Promise<readonly KeyOutcome[]> {
    await Promise.allSettled([this.#last]);
    return this.#outcomes;
  }
}
