/**
 * libsodium, ready or not, and its hash. Everything here needs `sodiumReady` awaited once at the start of the process.
 *
 * Spec: spec/envelope.md#conventions.
 */
import sodium from 'libsodium-wrappers';

import { concat } from './bytes.js';

export { sodium };

/** Parts beyond this are hashed one by one, which saves copying a large body. */
const JOINED = 4096;

/** Resolves when the functions of this library may be called. */
export function sodiumReady(): Promise<void> {
  return sodium.ready;
}

/** BLAKE2b of the parts as if they were one. @param size Bytes of the result, 16 to 64. @param key Up to 64 bytes. */
export function blake2b(size: number, key: Uint8Array | null, ...parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return sodium.crypto_generichash(size, only, key);
  let total = 0;
  for (const part of parts) total += part.length;
  if (total <= JOINED) return sodium.crypto_generichash(size, concat(...parts), key);
  const state = sodium.crypto_generichash_init(key, size);
  for (const part of parts) sodium.crypto_generichash_update(state, part);
  return sodium.crypto_generichash_final(state, size);
}
