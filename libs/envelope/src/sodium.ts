/**
 * libsodium, ready or not, and its hash. Everything here needs `sodiumReady` awaited once at the start of the process.
 *
 * Spec: spec/envelope.md#conventions.
 */
import type { SodiumBuild, SodiumFunctions } from './sodium-functions.js';

/** The native library where there is a build of it for this platform, else the WebAssembly. */
export let sodium: SodiumFunctions;

let loading: Promise<void> | undefined;

/** Parts beyond this are hashed one by one, which saves copying a large body. */
const JOINED = 4096;
/** Small parts that are hashed as one are put together here, each time anew. */
const joined = new Uint8Array(JOINED);

/** Resolves when the functions of this library may be called. */
export function sodiumReady(): Promise<void> {
  loading ??= load();
  return loading;
}

/** For the log of a process: WebAssembly takes two to three times as long for the same. */
export function sodiumBuild(): SodiumBuild {
  return sodium.build;
}

async function load(): Promise<void> {
  sodium = await import('./native-sodium.js').then(
    ({ nativeSodium }) => nativeSodium,
    async () => (await import('./wasm-sodium.js')).wasmSodium(),
  );
}

/** BLAKE2b of the parts as if they were one. @param size Bytes of the result, 16 to 64. @param key Up to 64 bytes. */
export function blake2b(size: number, key: Uint8Array | null, ...parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return sodium.crypto_generichash(size, only, key);
  let total = 0;
  for (const part of parts) total += part.length;
  if (total > JOINED) return sodium.crypto_generichash_batch(size, parts, key);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return sodium.crypto_generichash(size, joined.subarray(0, total), key);
}
