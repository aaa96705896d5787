/** A request's bytes as the flows read them. Arguments and options have to be plain values: none may be bytes, and their depth is bounded. */
import { readRequest, requestDigest, toHex, type Wire } from '@natrium/envelope';
import { fromPlain, type Plain, type Request } from '@natrium/model';

/** @returns undefined when the bytes are not a request that any party would accept. */
export function readAsked(bytes: Uint8Array): Request | undefined {
  const read = readRequest(bytes);
  if (!read.ok) return undefined;
  const { args, options, returnerOptions } = read.value;
  const plain = [args, options, returnerOptions].every((part) => isPlain(part));
  return plain ? (read.value as Request) : undefined;
}

export function digestOf(bytes: Uint8Array): string {
  return toHex(requestDigest(bytes));
}

function isPlain(wire: Wire): boolean {
  try {
    fromPlain(wire as Plain);
    return true;
  } catch {
    return false;
  }
}
