/**
 * Reads one argument as its declared type. The words of a command line were read as YAML already, so a name that looks
 * like a number arrives as one: what has an obvious reading is taken, the rest is refused.
 */
import { Float, isList, isMap, pyStr, type Value } from '@natrium/model';
import type { ParamType } from './declaration.js';

const WANTED: Readonly<Record<ParamType, string>> = {
  str: 'text',
  int: 'a whole number',
  number: 'a number',
  bool: 'True or False',
  list: 'a list',
  map: 'a mapping',
  any: 'anything',
};

/** What the type is called in a sentence. */
export function wantedText(type: ParamType): string {
  return WANTED[type];
}

/** @returns undefined when the value cannot be read as that type. */
export function coerce(type: ParamType, value: Value): Value | undefined {
  switch (type) {
    case 'any':
      return value;
    case 'str':
      return readText(value);
    case 'int':
      return readInt(value);
    case 'number':
      return readNumber(value);
    case 'bool':
      return readBool(value);
    case 'list':
      return readList(value);
    case 'map':
      return isMap(value) ? value : undefined;
  }
}

function readText(value: Value): string | undefined {
  return value === null || isList(value) || isMap(value) ? undefined : pyStr(value);
}

function readNumber(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof Float) return value.value;
  if (typeof value === 'bigint') return Number(value);
  const word = typeof value === 'string' && /^\s*[-+]?\d+(\.\d+)?\s*$/.test(value);
  return word ? Number(value) : undefined;
}

function readInt(value: Value): number | undefined {
  const number = readNumber(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

function readBool(value: Value): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 0 || value === 1) return value === 1;
  if (typeof value !== 'string') return undefined;
  const word = value.toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : undefined;
}

/** A text stands for the words between its commas, as Salt's functions read it; an empty one for none, as `groups=` in a script. */
function readList(value: Value): readonly Value[] | undefined {
  if (isList(value)) return value;
  if (typeof value !== 'string') return undefined;
  return value.trim() === '' ? [] : value.split(',').map((word) => word.trim());
}
