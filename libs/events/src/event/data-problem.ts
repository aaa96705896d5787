/**
 * The data of an event, measured, and what it may be: what has an encoding at every depth at which messages and the journal carry it. One event
 * without would hold up every one that is fired after it, so it is refused before it is taken.
 *
 * Spec: docs/event-bus.md#what-an-event-may-hold, spec/envelope.md#encoding.
 */
import { Float, isList, type Value, type ValueMap } from '@natrium/model';
import { headed, HOLDING, roughSize } from './rough-size.js';

interface Fault {
  readonly what: string;
  /** From here to it. */
  readonly at: string;
}

const MAX_DEPTH = 26;
/** Of a key that is told: whoever sent it knows the rest. */
const SHOWN = 32;
/** The longest whole number that the wire carries. */
const BEYOND = 10n ** 400n;

const TOO_DEEP: Fault = { what: `it is nested deeper than ${String(MAX_DEPTH)} levels`, at: '' };
const NO_TEXT: Fault = { what: 'a text is not valid Unicode', at: '' };
const NO_KEY: Fault = { what: 'a key is not valid Unicode', at: '' };
const FORBIDDEN_KEY: Fault = { what: 'a key is __proto__', at: '' };
const TOO_LONG: Fault = { what: 'a whole number has more than 400 digits', at: '' };
const NOTHING: Fault = { what: 'a list has an item that is undefined', at: '' };

/** What in it has no encoding, and where, in a sentence; undefined when all of it has one. */
export function dataProblem(data: ValueMap): string | undefined {
  const measure = measured(data);
  return typeof measure === 'string' ? measure : undefined;
}

/** Its bytes, as `roughSize` has them, or in a sentence what in it has no encoding: every event is looked at, and once. */
export function measured(data: ValueMap): number | string {
  const found = measureOf(data, 0);
  if (typeof found === 'number') return found;
  return `an event's data has no encoding: ${found.what}${found.at === '' ? '' : ` at data${found.at}`}`;
}

function measureOf(value: Value | undefined, depth: number): number | Fault {
  if (typeof value === 'string') return value.isWellFormed() ? headed(Buffer.byteLength(value)) : NO_TEXT;
  if (typeof value === 'bigint' && (value >= BEYOND || value <= -BEYOND)) return TOO_LONG;
  if (value === undefined) return NOTHING;
  if (typeof value !== 'object' || value === null || value instanceof Float) return roughSize(value);
  if (depth >= MAX_DEPTH) return TOO_DEEP;
  return isList(value) ? measureOfList(value, depth + 1) : measureOfMap(value, depth + 1);
}

function measureOfList(list: readonly Value[], depth: number): number | Fault {
  let bytes = HOLDING;
  for (let index = 0; index < list.length; index += 1) {
    const found = measureOf(list[index], depth);
    if (typeof found !== 'number') return below(`[${String(index)}]`, found);
    bytes += found;
  }
  return bytes;
}

function measureOfMap(map: ValueMap, depth: number): number | Fault {
  let bytes = HOLDING;
  for (const key of Object.keys(map)) {
    if (key === '__proto__') return FORBIDDEN_KEY;
    if (!key.isWellFormed()) return NO_KEY;
    const item = map[key];
    const found = item === undefined ? 0 : measureOf(item, depth); // a key without a value is not written
    if (typeof found !== 'number') return below(`.${key.slice(0, SHOWN).toWellFormed()}`, found);
    bytes += headed(Buffer.byteLength(key)) + found;
  }
  return bytes;
}

/** The path is made only when there is a fault. Where it is too deep says nothing. */
function below(step: string, fault: Fault): Fault {
  return fault === TOO_DEEP ? fault : { ...fault, at: step + fault.at };
}
