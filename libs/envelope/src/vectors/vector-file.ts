/**
 * The committed vectors: made by the generators beside this file, from fixed seeds, and read back by their specs.
 *
 * `NATRIUM_WRITE_VECTORS=1` writes them anew; without it a spec fails when they are no longer what its generator makes.
 * Byte strings are hexadecimal text. Spec: spec/envelope.md#vectors.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Wire } from '../encoding.js';
import { fromHex, toHex } from '../bytes.js';

const FOLDER = fileURLToPath(new URL('../../../../spec/vectors/', import.meta.url));

export interface VectorCase {
  readonly name: string;
}

export interface Vectors<T extends VectorCase> {
  /** What one case says, for whoever writes another implementation. */
  readonly about: string;
  readonly cases: readonly T[];
}

/** The vectors as they are in the file `name`; `made` tells what they are when they are written anew. */
export function committed<F extends Vectors<VectorCase>>(name: string, made: F): F {
  const path = `${FOLDER}${name}.json`;
  if (process.env['NATRIUM_WRITE_VECTORS'] === '1') {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(path, textOf(made));
  }
  return JSON.parse(readFileSync(path, 'utf8')) as F; // the spec compares it with what was made
}

/** One case a line. */
function textOf({ cases, ...rest }: Vectors<VectorCase>): string {
  const heads = Object.entries(rest).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},\n`);
  const lines = cases.map((one) => `    ${JSON.stringify(one)}`);
  return `{\n${heads.join('')}  "cases": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/** A value as JSON carries it: a byte string as `{"$hex": text}`. */
export type Noted = null | boolean | number | string | readonly Noted[] | { readonly [key: string]: Noted };

export function noted(value: Wire): Noted {
  if (value instanceof Uint8Array) return { $hex: toHex(value) };
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map(noted);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, noted(item)]));
}

export function fromNoted(value: Noted): Wire {
  if (value === null || typeof value !== 'object') return value;
  if (isNotedList(value)) return value.map(fromNoted);
  const { $hex } = value;
  if (typeof $hex === 'string') return fromHex($hex);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromNoted(item)]));
}

function isList(value: Wire): value is readonly Wire[] {
  return Array.isArray(value);
}

function isNotedList(value: Noted): value is readonly Noted[] {
  return Array.isArray(value);
}
