/** libsodium in WebAssembly, which runs wherever Node does. */
import sodium from 'libsodium-wrappers';
import type { SodiumFunctions } from './sodium-functions.js';

export async function wasmSodium(): Promise<SodiumFunctions> {
  await sodium.ready;
  return {
    ...sodium,
    build: 'webassembly',
    crypto_aead_xchacha20poly1305_ietf_encrypt: (message, additional, into, nonce, key) => {
      const sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(message, additional, null, nonce, key);
      if (into === null) return sealed;
      if (into.length !== sealed.length) throw new TypeError('a place of another size');
      into.set(sealed);
      return into;
    },
    crypto_aead_xchacha20poly1305_ietf_decrypt: (_into, sealed, additional, nonce, key) =>
      sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, sealed, additional, nonce, key),
    crypto_generichash_batch: (size, parts, key) => {
      const state = sodium.crypto_generichash_init(key, size);
      for (const part of parts) sodium.crypto_generichash_update(state, part);
      return sodium.crypto_generichash_final(state, size);
    },
  };
}
