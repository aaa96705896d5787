/**
 * libsodium compiled for this platform: half the time for a signature, a third for a message, and no WebAssembly to load
 * (docs/adr/0009-native-libsodium.md). To import this fails where there is no build of it.
 */
import sodium from 'sodium-native';
import { allocate } from './bytes.js';
import type { SessionKeys, SodiumFunctions } from './sodium-functions.js';

const encoder = new TextEncoder();

/** A larger plaintext is a message's body, parts of which may be kept for long. */
const WRAPPED = 256;

export const nativeSodium: SodiumFunctions = {
  build: 'native',

  crypto_generichash: (size, message, key) => {
    const hash = allocate(size);
    sodium.crypto_generichash(hash, message, key);
    return hash;
  },

  crypto_generichash_batch: (size, parts, key) => {
    const hash = allocate(size);
    sodium.crypto_generichash_batch(hash, parts, key);
    return hash;
  },

  crypto_sign_seed_keypair: (seed) => {
    const pair = { publicKey: new Uint8Array(32), privateKey: new Uint8Array(64) };
    sodium.crypto_sign_seed_keypair(pair.publicKey, pair.privateKey, seed);
    return pair;
  },

  crypto_sign_detached: (message, privateKey) => {
    const signature = allocate(64);
    sodium.crypto_sign_detached(signature, message, privateKey);
    return signature;
  },

  crypto_sign_verify_detached: (signature, message, publicKey) => {
    // The library takes a longer one for its first 64 bytes.
    if (signature.length !== 64) throw new TypeError('a signature has 64 bytes');
    return sodium.crypto_sign_verify_detached(signature, message, publicKey);
  },

  crypto_kdf_derive_from_key: (size, id, context, key) => {
    const derived = new Uint8Array(size);
    sodium.crypto_kdf_derive_from_key(derived, id, encoder.encode(context), key);
    return derived;
  },

  crypto_kx_seed_keypair: (seed) => {
    const pair = { publicKey: new Uint8Array(32), privateKey: new Uint8Array(32) };
    sodium.crypto_kx_seed_keypair(pair.publicKey, pair.privateKey, seed);
    return pair;
  },

  crypto_kx_client_session_keys: (publicKey, privateKey, server) =>
    sessionKeys((rx, tx) => {
      sodium.crypto_kx_client_session_keys(rx, tx, publicKey, privateKey, server);
    }),

  crypto_kx_server_session_keys: (publicKey, privateKey, client) =>
    sessionKeys((rx, tx) => {
      sodium.crypto_kx_server_session_keys(rx, tx, publicKey, privateKey, client);
    }),

  crypto_aead_xchacha20poly1305_ietf_encrypt: (message, additional, _secretNonce, nonce, key) => {
    const sealed = allocate(message.length + 16);
    sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(sealed, message, additional, null, nonce, key);
    return sealed;
  },

  crypto_aead_xchacha20poly1305_ietf_decrypt: (_secretNonce, sealed, additional, nonce, key) => {
    const size = sealed.length - 16;
    const message = size <= WRAPPED ? allocate(size) : new Uint8Array(size);
    sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(message, null, sealed, additional, nonce, key);
    return message;
  },
};

function sessionKeys(make: (rx: Uint8Array, tx: Uint8Array) => void): SessionKeys {
  const keys = { sharedRx: new Uint8Array(32), sharedTx: new Uint8Array(32) };
  make(keys.sharedRx, keys.sharedTx);
  return keys;
}
