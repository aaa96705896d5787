/** XChaCha20-Poly1305, the only cipher here; an opening that fails is a value, a wrong size of key or nonce a mistake. */
import { sodium } from './sodium.js';

export const NONCE_BYTES = 24;
export const TAG_BYTES = 16;

/** @param into Where it is put, `TAG_BYTES` longer than the plaintext. */
export function sealWith(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  plaintext: Uint8Array,
  into: Uint8Array | null = null,
): Uint8Array {
  return sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, aad, into, nonce, key);
}

/**
 * @param into Where the native library puts the plaintext, exactly as long as that: nobody else may hold it.
 * @returns undefined when the tag doesn't fit key, nonce, data and ciphertext.
 */
export function openWith(
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  sealed: Uint8Array,
  into: Uint8Array | null = null,
): Uint8Array | undefined {
  if (key.length !== 32 || nonce.length !== NONCE_BYTES) throw new RangeError('a key or a nonce of another size');
  if (sealed.length < TAG_BYTES) return undefined;
  try {
    return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(into, sealed, aad, nonce, key);
  } catch {
    return undefined; // sizes are checked: libsodium throws only for the tag
  }
}
