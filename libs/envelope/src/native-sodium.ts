/**
 * libsodium compiled for this platform: half the time for a signature, a third for a message, and no WebAssembly to load
 * (docs/adr/0009-native-libsodium.md). To import this fails where there is no build of it.
 *
 * The package's binding is called directly: its own wrappers look up each size anew in a table of a thousand names, which takes as long as
 * a small hash. So every size is looked at here, before it is called.
 */
import binding from 'sodium-native/binding.js';
import { allocate } from './bytes.js';
import type { SessionKeys, SodiumFunctions } from './sodium-functions.js';

const encoder = new TextEncoder();

const [KEY, NONCE, TAG, SIGNATURE, SIGNING_KEY, CONTEXT] = [32, 24, 16, 64, 64, 8];
const HASH = { least: 16, most: 64 };
/** A larger plaintext is a message's body. Parts of it may be kept for long, so it gets a buffer of its own, not one from the pool. */
const WRAPPED = 256;
const NO_KEY = new Uint8Array(new ArrayBuffer(0));

const {
  crypto_generichash,
  crypto_generichash_batch,
  crypto_aead_xchacha20poly1305_ietf_encrypt,
  crypto_aead_xchacha20poly1305_ietf_decrypt,
} = binding;

export const nativeSodium: SodiumFunctions = {
  build: 'native',

  crypto_generichash: (size, message, key) => {
    const hash = hashFor(size, key);
    const by = key ?? NO_KEY;
    const status = crypto_generichash(
      hash.buffer,
      hash.byteOffset,
      size,
      message.buffer,
      message.byteOffset,
      message.length,
      by.buffer,
      by.byteOffset,
      by.length,
    );
    mustBe(status === 0);
    return hash;
  },

  crypto_generichash_batch: (size, parts, key) => {
    const hash = hashFor(size, key);
    mustBe(crypto_generichash_batch(hash, parts, key !== null, key ?? NO_KEY) === 0);
    return hash;
  },

  crypto_sign_seed_keypair: (seed) => {
    mustHave(seed, KEY);
    const pair = { publicKey: new Uint8Array(KEY), privateKey: new Uint8Array(SIGNING_KEY) };
    mustBe(binding.crypto_sign_seed_keypair(pair.publicKey, pair.privateKey, seed) === 0);
    return pair;
  },

  crypto_sign_detached: (message, privateKey) => {
    mustHave(privateKey, SIGNING_KEY);
    const signature = allocate(SIGNATURE);
    mustBe(binding.crypto_sign_detached(signature, message, privateKey) === 0);
    return signature;
  },

  crypto_sign_verify_detached: (signature, message, publicKey) => {
    mustHave(signature, SIGNATURE);
    mustHave(publicKey, KEY);
    return binding.crypto_sign_verify_detached(
      signature.buffer,
      signature.byteOffset,
      signature.length,
      message.buffer,
      message.byteOffset,
      message.length,
      publicKey.buffer,
      publicKey.byteOffset,
      publicKey.length,
    );
  },

  crypto_kdf_derive_from_key: (size, id, context, key) => {
    mustHave(key, KEY);
    const words = encoder.encode(context);
    mustHave(words, CONTEXT);
    mustBe(size >= HASH.least && size <= HASH.most);
    const derived = new Uint8Array(size);
    mustBe(binding.crypto_kdf_derive_from_key(derived, id, words, key) === 0);
    return derived;
  },

  crypto_kx_seed_keypair: (seed) => {
    mustHave(seed, KEY);
    const pair = { publicKey: new Uint8Array(KEY), privateKey: new Uint8Array(KEY) };
    mustBe(binding.crypto_kx_seed_keypair(pair.publicKey, pair.privateKey, seed) === 0);
    return pair;
  },

  crypto_kx_client_session_keys: (publicKey, privateKey, server) =>
    sessionKeys([publicKey, privateKey, server], (rx, tx) =>
      binding.crypto_kx_client_session_keys(rx, tx, publicKey, privateKey, server),
    ),

  crypto_kx_server_session_keys: (publicKey, privateKey, client) =>
    sessionKeys([publicKey, privateKey, client], (rx, tx) =>
      binding.crypto_kx_server_session_keys(rx, tx, publicKey, privateKey, client),
    ),

  crypto_aead_xchacha20poly1305_ietf_encrypt: (message, additional, into, nonce, key) => {
    mustHave(nonce, NONCE);
    mustHave(key, KEY);
    const sealed = into ?? allocate(message.length + TAG);
    mustHave(sealed, message.length + TAG);
    mustBe(crypto_aead_xchacha20poly1305_ietf_encrypt(sealed, message, additional, nonce, key) === sealed.length);
    return sealed;
  },

  crypto_aead_xchacha20poly1305_ietf_decrypt: (into, sealed, additional, nonce, key) => {
    mustHave(nonce, NONCE);
    mustHave(key, KEY);
    const size = sealed.length - TAG;
    mustBe(size >= 0);
    const message = into ?? (size <= WRAPPED ? allocate(size) : new Uint8Array(size));
    mustHave(message, size);
    mustBe(crypto_aead_xchacha20poly1305_ietf_decrypt(message, sealed, additional, nonce, key) === size);
    return message;
  },
};

function hashFor(size: number, key: Uint8Array | null): Uint8Array {
  mustBe(size >= HASH.least && size <= HASH.most);
  mustBe(key === null || (key.length >= HASH.least && key.length <= HASH.most));
  return allocate(size);
}

function sessionKeys(keys: readonly Uint8Array[], make: (rx: Uint8Array, tx: Uint8Array) => number): SessionKeys {
  for (const key of keys) mustHave(key, KEY);
  const made = { sharedRx: new Uint8Array(KEY), sharedTx: new Uint8Array(KEY) };
  mustBe(make(made.sharedRx, made.sharedTx) === 0);
  return made;
}

function mustHave(bytes: Uint8Array, size: number): void {
  if (bytes.length !== size) throw new TypeError(`${String(size)} bytes are wanted`);
}

function mustBe(fits: boolean): void {
  if (!fits) throw new TypeError('libsodium does not take this');
}
