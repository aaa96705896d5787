/**
 * Strict reading of protocol objects: fixed-length arrays of bounded fields, from the one encoding.
 *
 * The readers throw inside and `shaped` gives undefined outside. Byte strings of a fixed size are copied, so that what
 * is kept doesn't hold the message it came in.
 */
import { MAX_VALUES, type Principal, PRINCIPAL_KINDS } from '@natrium/model';

import { decode, EncodingError, type Wire, type WireMap } from './encoding.js';

export const MAX_TIME = Number.MAX_SAFE_INTEGER;
export const MAX_NAME = 255;
/** Of an audit chain: the instance of its acl-service. */
export const MAX_CHAIN = 64;

type Field = Wire | undefined;

class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

/** What `read` makes of the value in `bytes`; undefined when either doesn't fit, or more than `most` values are in it. */
export function shaped<T>(bytes: Uint8Array, read: (wire: Wire) => T, most = MAX_VALUES): T | undefined {
  try {
    return read(decode(bytes, most));
  } catch (error) {
    if (error instanceof ShapeError || error instanceof EncodingError) return undefined;
    throw error;
  }
}

/** The same for a value that is read already. */
export function shapedValue<T>(wire: Wire, read: (wire: Wire) => T): T | undefined {
  try {
    return read(wire);
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}

export function fields(wire: Field, count: number): readonly Wire[] {
  const list = anyList(wire);
  return list.length === count ? list : refuse();
}

export function listOf<T>(wire: Field, max: number, read: (item: Wire) => T): readonly T[] {
  const list = anyList(wire);
  return list.length <= max ? list.map((item) => read(item)) : refuse();
}

export function anyList(wire: Field): readonly Wire[] {
  return isList(wire) ? wire : refuse();
}

/** Exactly `size` bytes, copied. */
export function bin(wire: Field, size: number): Uint8Array {
  return wire instanceof Uint8Array && wire.length === size ? new Uint8Array(wire) : refuse();
}

/** Bytes within bounds, as a view. */
export function blob(wire: Field, min: number, max: number): Uint8Array {
  return wire instanceof Uint8Array && wire.length >= min && wire.length <= max ? wire : refuse();
}

/** @param max In UTF-16 code units. */
export function text(wire: Field, max: number, min = 1): string {
  return typeof wire === 'string' && wire.length >= min && wire.length <= max ? wire : refuse();
}

export function int(wire: Field, min: number, max: number): number {
  return typeof wire === 'number' && Number.isInteger(wire) && wire >= min && wire <= max ? wire : refuse();
}

export function time(wire: Field): number {
  return int(wire, 0, MAX_TIME);
}

export function oneOf<T extends string>(wire: Field, words: readonly T[]): T {
  return words.find((word) => word === wire) ?? refuse();
}

export function map(wire: Field): WireMap {
  return isMap(wire) ? wire : refuse();
}

export function orNull<T>(wire: Field, read: (wire: Field) => T): T | null {
  return wire === null ? null : read(wire);
}

export function principal(wire: Field): Principal {
  const [kind, name] = fields(wire, 2);
  return { kind: oneOf(kind, PRINCIPAL_KINDS), name: text(name, MAX_NAME) };
}

export function refuse(): never {
  throw new ShapeError('a field does not fit');
}

function isList(wire: Field): wire is readonly Wire[] {
  return Array.isArray(wire);
}

function isMap(wire: Field): wire is WireMap {
  return typeof wire === 'object' && wire !== null && !Array.isArray(wire) && !(wire instanceof Uint8Array);
}
