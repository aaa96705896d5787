/**
 * What of libsodium is used here. The native library and the WebAssembly of it have the same functions, results and refusals
 * (`backends.spec.ts`): a wrong size and a tag that does not fit throw.
 */
export interface SodiumFunctions {
  readonly build: SodiumBuild;
  /** BLAKE2b. @param size Bytes of the result, 16 to 64. @param key Up to 64 bytes. */
  crypto_generichash(size: number, message: Uint8Array, key: Uint8Array | null): Uint8Array;
  /** BLAKE2b of the parts as if they were one. */
  crypto_generichash_batch(size: number, parts: readonly Uint8Array[], key: Uint8Array | null): Uint8Array;
  /** @param seed 32 bytes. */
  crypto_sign_seed_keypair(seed: Uint8Array): { readonly publicKey: Uint8Array; readonly privateKey: Uint8Array };
  /** @param privateKey 64 bytes. */
  crypto_sign_detached(message: Uint8Array, privateKey: Uint8Array): Uint8Array;
  crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
  /** @param context 8 ASCII characters. */
  crypto_kdf_derive_from_key(size: number, id: number, context: string, key: Uint8Array): Uint8Array;
  /** @param seed 32 bytes. */
  crypto_kx_seed_keypair(seed: Uint8Array): { readonly publicKey: Uint8Array; readonly privateKey: Uint8Array };
  crypto_kx_client_session_keys(publicKey: Uint8Array, privateKey: Uint8Array, server: Uint8Array): SessionKeys;
  crypto_kx_server_session_keys(publicKey: Uint8Array, privateKey: Uint8Array, client: Uint8Array): SessionKeys;
  /** @param into As long as what is sealed, which is put there. In libsodium's own, the secret nonce. */
  crypto_aead_xchacha20poly1305_ietf_encrypt(
    message: Uint8Array,
    additional: Uint8Array,
    into: Uint8Array | null,
    nonce: Uint8Array,
    key: Uint8Array,
  ): Uint8Array;
  /** @param into As long as what is opened: the native library puts it there. In libsodium's own, the secret nonce. */
  crypto_aead_xchacha20poly1305_ietf_decrypt(
    into: Uint8Array | null,
    sealed: Uint8Array,
    additional: Uint8Array,
    nonce: Uint8Array,
    key: Uint8Array,
  ): Uint8Array;
}

/** Which of the two this process has. */
export type SodiumBuild = 'native' | 'webassembly';

export interface SessionKeys {
  readonly sharedRx: Uint8Array;
  readonly sharedTx: Uint8Array;
}
