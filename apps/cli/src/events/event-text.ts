/** Events for a terminal, as Salt's `state.event` prints them: the tag, a tab and JSON; or JSON over many lines. */
import type { BusEvent, Json } from '@natrium/events';
import { disarm, printableJson } from '@natrium/output';

const INDENT = 4;

export function eventText({ tag, data, stamp }: BusEvent, pretty: boolean): string {
  const whole = { ...data, _stamp: stamp };
  const json = pretty ? JSON.stringify(sorted(whole), undefined, INDENT) : spaced(whole);
  return `${disarm(tag)}\t${printableJson(json)}\n`;
}

/** As Python's `json.dumps` writes it. */
function spaced(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`)
    .join(', ')}}`;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value) as readonly (readonly [string, Json])[];
  return Object.fromEntries(
    [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]),
  );
}
