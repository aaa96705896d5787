/** Puts a value into nested grains, as Salt does: into maps, and into lists of maps beside what they hold. */
import { err, isList, isMap, ok, type Result, type Value, type ValueMap } from '@natrium/model';
import { step } from './traverse.js';

/** What is neither map nor list, in the place of the map that would hold `word`. */
export interface InTheWay {
  readonly path: readonly string[];
  readonly value: Value;
  readonly word: string;
}

export interface Placing {
  /** Undefined takes the last word away. */
  readonly val: Value | undefined;
  /** A map takes the place of what is in the way. */
  readonly force: boolean;
  /** A list that has no map with the word gets one. */
  readonly intoLists: boolean;
}

/** `into`, with the value at the end of a path of keys; `path` is where it stands itself. */
export function placed(
  into: Value | undefined,
  [word = '', ...rest]: readonly string[],
  how: Placing,
  path: readonly string[],
): Result<Value, InTheWay> {
  const inner = rest.length === 0 ? ok(how.val) : placed(step(into, word), rest, how, [...path, word]);
  if (!inner.ok) return inner;
  if (into === undefined || into === null || into === word) return ok(inMap({}, word, inner.value));
  if (isMap(into)) return ok(inMap(into, word, inner.value));
  if (isList(into) && (how.intoLists || step(into, word) !== undefined)) return ok(inList(into, word, inner.value));
  return how.force && !isList(into) ? ok(inMap({}, word, inner.value)) : err({ path, value: into, word });
}

function inMap(map: ValueMap, word: string, val: Value | undefined): ValueMap {
  if (val !== undefined) return { ...map, [word]: val };
  return Object.fromEntries(Object.entries(map).filter(([name]) => name !== word));
}

/** Every map that has the word, and every item that is the word, gets the value. */
function inList(list: readonly Value[], word: string, val: Value = null): readonly Value[] {
  const items = list.map((item): Value => {
    if (isMap(item) && Object.hasOwn(item, word)) return { ...item, [word]: val };
    return item === word ? { [word]: val } : item;
  });
  return items.some((item) => isMap(item) && Object.hasOwn(item, word)) ? items : [...items, { [word]: val }];
}
