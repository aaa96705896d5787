/**
 * What the data of an event may be: what has an encoding at every depth at which messages and the journal carry it. One event
 * without would hold up every one that is fired after it, so it is refused before it is taken.
 *
 * Spec: docs/event-bus.md#what-an-event-may-hold, spec/envelope.md#encoding.
 */
import { Float, isList, type Value, type ValueMap } from '@natrium/model';

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
  const fault = faultIn(data, 0);
  return fault && `an event's data has no encoding: ${fault.what}${fault.at === '' ? '' : ` at data${fault.at}`}`;
}

function faultIn(value: Value | undefined, depth: number): Fault | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : NO_TEXT;
  if (typeof value === 'bigint') return value < BEYOND && value > -BEYOND ? undefined : TOO_LONG;
  if (value === undefined) return NOTHING;
  if (typeof value !== 'object' || value === null || value instanceof Float) return undefined;
  if (depth >= MAX_DEPTH) return TOO_DEEP;
  return isList(value) ? faultInList(value, depth + 1) : faultInMap(value, depth + 1);
}

function faultInList(list: readonly Value[], depth: number): Fault | undefined {
  for (let index = 0; index < list.length; index += 1) {
    const fault = faultIn(list[index], depth);
    if (fault !== undefined) return below(`[${String(index)}]`, fault);
  }
  return undefined;
}

function faultInMap(map: ValueMap, depth: number): Fault | undefined {
  for (const key of Object.keys(map)) {
    if (key === '__proto__') return FORBIDDEN_KEY;
    if (!key.isWellFormed()) return NO_KEY;
    const item = map[key];
    const fault = item === undefined ? undefined : faultIn(item, depth); // a key without a value is not written
    if (fault !== undefined) return below(`.${key.slice(0, SHOWN).toWellFormed()}`, fault);
  }
  return undefined;
}

/** The path is made only when there is a fault. Where it is too deep says nothing. */
function below(step: string, fault: Fault): Fault {
  return fault === TOO_DEEP ? fault : { ...fault, at: step + fault.at };
}
