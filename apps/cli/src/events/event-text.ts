/** Events for a terminal, as Salt's `state.event` prints them: the tag, a tab and JSON; or JSON over many lines. */
import { isList, isMap, type Value } from '@natrium/model';
import { disarm, json } from '@natrium/output';
import type { ToldEvent } from './listen-on.js';

const ONE_LINE = { indent: -1, color: false };
const MANY_LINES = { indent: 4, color: false };

export function eventText({ tag, data, stamp }: Pick<ToldEvent, 'tag' | 'data' | 'stamp'>, pretty: boolean): string {
  const whole = { ...data, _stamp: stamp };
  return `${disarm(tag)}\t${pretty ? json(sorted(whole), MANY_LINES) : json(whole, ONE_LINE)}\n`;
}

function sorted(value: Value): Value {
  if (isList(value)) return value.map(sorted);
  if (!isMap(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]),
  );
}
