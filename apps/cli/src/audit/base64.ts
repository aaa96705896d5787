/** Bytes of the audit as JSON carries them, in base64: from the acl-service, and in an exported file. */
import type { Signed } from '@natrium/envelope';
import { isMap, type Value } from '@natrium/model';

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

export function bytesFrom(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

/** Of `{bytes, signature}`; undefined for anything else. */
export function signedFrom(value: Value): Signed | undefined {
  const { bytes, signature } = isMap(value) ? value : {};
  if (typeof bytes !== 'string' || typeof signature !== 'string') return undefined;
  return { bytes: bytesFrom(bytes), signature: bytesFrom(signature) };
}
