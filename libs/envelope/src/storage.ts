/**
 * Data at rest: a value is sealed to its place, so it opens nowhere else, and names in keys are hashed with a secret.
 *
 * Spec: spec/envelope.md#storage; vectors: spec/vectors/storage.json.
 */
import { err, ok, type Result } from '@natrium/model';

import { NONCE_BYTES, openWith, sealWith, TAG_BYTES } from './aead.js';
import { base32, concat, utf8 } from './bytes.js';
import { encode, type Wire } from './encoding.js';
import { randomBytes } from './random.js';
import { bin, blob, fields, refuse, shaped, text } from './shape.js';
import { blake2b } from './sodium.js';

export interface StorageKey {
  /** 1 to 32 characters. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

export type StorageProblem = 'shape' | 'unknown_key' | 'altered';

const VERSION = 1;
const MAX_ID = 32;
const MAX_SIZE = 0x7fffffff;
const STORE = utf8('natrium/1/store\0');
const NAME = utf8('natrium/1/name\0');

/** @param place Bucket or stream, a slash, and the key or subject. */
export function sealStored(key: StorageKey, place: string, plaintext: Uint8Array): Uint8Array {
  if (key.id.length === 0 || key.id.length > MAX_ID)
    throw new RangeError('an id of a storage key has 1 to 32 characters');
  return sealStoredWith(key, place, plaintext, randomBytes(NONCE_BYTES));
}

/** For the vectors: with this nonce, which is never used twice under one key. */
export function sealStoredWith(key: StorageKey, place: string, plaintext: Uint8Array, nonce: Uint8Array): Uint8Array {
  return encode([VERSION, key.id, nonce, sealWith(key.key, nonce, placeBytes(key.id, place), plaintext)]);
}

/** @param keys The storage key with an id, if it is still there. */
export function openStored(
  keys: (id: string) => StorageKey | undefined,
  place: string,
  bytes: Uint8Array,
): Result<Uint8Array, StorageProblem> {
  const stored = shaped(bytes, readStored);
  if (stored === undefined) return err('shape');
  const key = keys(stored.id);
  if (key === undefined) return err('unknown_key');
  const plaintext = openWith(key.key, stored.nonce, placeBytes(key.id, place), stored.sealed);
  return plaintext === undefined ? err('altered') : ok(plaintext);
}

/** The id of the storage key that sealed these bytes: what a rotation asks. */
export function storedKeyId(bytes: Uint8Array): string | undefined {
  return shaped(bytes, readStored)?.id;
}

/** A name as a bucket's key: 32 characters that tell nothing without the storage key. */
export function keyedName(key: StorageKey, name: string): string {
  return base32(blake2b(20, key.key, NAME, utf8(name)));
}

interface Stored {
  readonly id: string;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
}

function readStored(wire: Wire): Stored {
  const [version, id, nonce, sealed] = fields(wire, 4);
  if (version !== VERSION) refuse();
  return { id: text(id, MAX_ID), nonce: bin(nonce, NONCE_BYTES), sealed: blob(sealed, TAG_BYTES, MAX_SIZE) };
}

/** The id's length comes first, so that no id and place together read as another pair. */
function placeBytes(id: string, place: string): Uint8Array {
  const idBytes = utf8(id);
  return concat(STORE, Uint8Array.of(idBytes.length), idBytes, utf8(place));
}
