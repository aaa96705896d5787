/** Which policy it is: 32 bytes that are equal wherever the same keys say the same. Spec: spec/envelope.md#grants. */
import { encode, type Wire } from './encoding.js';
import { blake2b } from './sodium.js';

/** @param values What decides, key by key, in one order. */
export function policyRevision(values: readonly (readonly [key: string, value: Wire])[]): Uint8Array {
  return blake2b(32, null, encode(values));
}
