/**
 * What signed objects were found to say a moment ago. One and the same object comes several times to whoever lets minions in: with
 * a message, in it, and back from the store; and each look costs a signature.
 *
 * Only what depends on nothing but the bytes may be kept here: whether they are still in time, or their signer still counts, is
 * asked each time.
 */
import { keepLatest } from '@natrium/model';
import { mapKey } from './bytes.js';
import type { Signed } from './signing.js';

export class Verified<T> {
  /** By the signature; the oldest first. The bytes are kept as text, which is smaller than so many small buffers. */
  readonly #known = new Map<string, { readonly bytes: string; readonly said: T }>();

  constructor(private readonly max = 512) {}

  /** What these very bytes under this very signature say; undefined: not known. */
  of({ bytes, signature }: Signed): T | undefined {
    const known = this.#known.get(mapKey(signature));
    return known !== undefined && known.bytes === mapKey(bytes) ? known.said : undefined;
  }

  note({ bytes, signature }: Signed, said: T): void {
    this.#known.set(mapKey(signature), { bytes: mapKey(bytes), said });
    keepLatest(this.#known, this.max);
  }
}
