/** Of the package, what is used here: results are written into the first arguments; what is refused throws. */
declare module 'sodium-native' {
  const sodium: {
    crypto_generichash(hash: Uint8Array, message: Uint8Array, key: Uint8Array | null): void;
    crypto_generichash_batch(hash: Uint8Array, parts: readonly Uint8Array[], key: Uint8Array | null): void;
    crypto_sign_seed_keypair(publicKey: Uint8Array, privateKey: Uint8Array, seed: Uint8Array): void;
    crypto_sign_detached(signature: Uint8Array, message: Uint8Array, privateKey: Uint8Array): void;
    crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
    crypto_kdf_derive_from_key(derived: Uint8Array, id: number, context: Uint8Array, key: Uint8Array): void;
    crypto_kx_seed_keypair(publicKey: Uint8Array, privateKey: Uint8Array, seed: Uint8Array): void;
    crypto_kx_client_session_keys(
      rx: Uint8Array,
      tx: Uint8Array,
      clientPublic: Uint8Array,
      clientPrivate: Uint8Array,
      serverPublic: Uint8Array,
    ): void;
    crypto_kx_server_session_keys(
      rx: Uint8Array,
      tx: Uint8Array,
      serverPublic: Uint8Array,
      serverPrivate: Uint8Array,
      clientPublic: Uint8Array,
    ): void;
    crypto_aead_xchacha20poly1305_ietf_encrypt(
      sealed: Uint8Array,
      message: Uint8Array,
      additional: Uint8Array,
      secretNonce: null,
      nonce: Uint8Array,
      key: Uint8Array,
    ): number;
    crypto_aead_xchacha20poly1305_ietf_decrypt(
      message: Uint8Array,
      secretNonce: null,
      sealed: Uint8Array,
      additional: Uint8Array,
      nonce: Uint8Array,
      key: Uint8Array,
    ): number;
  };
  export = sodium;
}
