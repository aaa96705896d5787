/**
 * Of the package, what is used here: its binding, whose functions write their results into the first arguments. It ends the process for a
 * size that is not right, so whoever calls it looks at the sizes first.
 */
declare module 'sodium-native/binding.js' {
  /** Where bytes lie: a buffer, an offset and a length. */
  type Place = [buffer: ArrayBufferLike, offset: number, length: number];

  const binding: {
    readonly crypto_generichash: (...hashMessageKey: [...Place, ...Place, ...Place]) => number;
    readonly crypto_generichash_batch: (
      hash: Uint8Array,
      parts: readonly Uint8Array[],
      hasKey: boolean,
      key: Uint8Array | Buffer,
    ) => number;
    readonly crypto_sign_seed_keypair: (publicKey: Uint8Array, privateKey: Uint8Array, seed: Uint8Array) => number;
    readonly crypto_sign_detached: (signature: Uint8Array, message: Uint8Array, privateKey: Uint8Array) => number;
    readonly crypto_sign_verify_detached: (...signatureMessagePublicKey: [...Place, ...Place, ...Place]) => boolean;
    readonly crypto_kdf_derive_from_key: (
      derived: Uint8Array,
      id: number,
      context: Uint8Array,
      key: Uint8Array,
    ) => number;
    readonly crypto_kx_seed_keypair: (publicKey: Uint8Array, privateKey: Uint8Array, seed: Uint8Array) => number;
    readonly crypto_kx_client_session_keys: (
      rx: Uint8Array,
      tx: Uint8Array,
      clientPublic: Uint8Array,
      clientPrivate: Uint8Array,
      serverPublic: Uint8Array,
    ) => number;
    readonly crypto_kx_server_session_keys: (
      rx: Uint8Array,
      tx: Uint8Array,
      serverPublic: Uint8Array,
      serverPrivate: Uint8Array,
      clientPublic: Uint8Array,
    ) => number;
    /** @returns How long the sealed message is, or less than 0. */
    readonly crypto_aead_xchacha20poly1305_ietf_encrypt: (
      sealed: Uint8Array,
      message: Uint8Array,
      additional: Uint8Array,
      nonce: Uint8Array,
      key: Uint8Array,
    ) => number;
    /** @returns How long the message is; less than 0, or beyond any length, when the tag does not fit. */
    readonly crypto_aead_xchacha20poly1305_ietf_decrypt: (
      message: Uint8Array,
      sealed: Uint8Array,
      additional: Uint8Array,
      nonce: Uint8Array,
      key: Uint8Array,
    ) => number;
  };
  export = binding;
}
