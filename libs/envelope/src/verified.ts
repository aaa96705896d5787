/**
 * What signed objects were found to say a moment ago. One and the same object comes several times to whoever lets minions in: with
 * a message, in it, and back from the store; and each look costs a signature.
 *
 * Only what depends on nothing but the bytes may be kept here: whether they are still in time, or their signer still counts, is
 * asked each time.
 */
import { keepLatest } from '@natrium/model';
import { equalBytes, mapKey } from './bytes.js';
import type { Signed } from './signing.js';

export class Verified<T> {
  /** By the signature; the oldest first. */
  readonly #known = new Map<string, { readonly bytes: Uint8Array; readonly said: T }>();

  constructor(private readonly max = 512) {}

  /** What these very bytes under this very signature say; undefined: not known. */
  of({ bytes, signature }: Signed): T | undefined {
    const known = this.#known.get(mapKey(signature));
    return known !== undefined && equalBytes(known.bytes, bytes) ? known.said : undefined;
  }

  note({ bytes, signature }: Signed, said: T): void {
    this.#known.set(mapKey(signature), { bytes: new Uint8Array(bytes), said });
    keepLatest(this.#known, this.max);
  }
}
