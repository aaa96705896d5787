/** Outputters by the name that `--out` takes. `highstate` comes with the states that it is for. */
import { json, jsonl } from './json.js';
import { key } from './key.js';
import { nested } from './nested.js';
import { newlineValuesOnly } from './newline-values-only.js';
import { noReturn } from './no-return.js';
import type { Outputter } from './outputter.js';
import { quiet } from './quiet.js';
import { pprint } from './pprint.js';
import { raw } from './raw.js';
import { table } from './table.js';
import { txt } from './txt.js';
import { yaml } from './yaml.js';

const BY_NAME: ReadonlyMap<string, Outputter> = new Map([
  ['nested', nested],
  ['json', json],
  ['jsonl', jsonl],
  ['yaml', yaml],
  ['txt', txt],
  // Salt's own other name of it.
  ['text', txt],
  ['raw', raw],
  ['pprint', pprint],
  ['table', table],
  ['newline_values_only', newlineValuesOnly],
  ['key', key],
  ['no_return', noReturn],
  ['quiet', quiet],
]);

/** @returns undefined for a name that is not there; the caller says so and falls back to `nested`. */
export function outputter(name: string): Outputter | undefined {
  return BY_NAME.get(name);
}

export function outputterNames(): readonly string[] {
  return [...BY_NAME.keys()];
}

/** Whether the format only makes sense over all answers together, so that they are not printed one by one. */
export function wantsAll(name: string): boolean {
  return name === 'table';
}
