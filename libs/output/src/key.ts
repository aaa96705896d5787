/** `key`, for `natrium-key`: a heading for each state, then its ids, or `id:  text` where the state is a map. */
import { isList, isMap, pyStr, type Value } from '@natrium/model';
import { type Color, paint } from './color.js';
import { disarm, printableLines } from './lines.js';
import { nested } from './nested.js';
import type { Outputter } from './outputter.js';
import { sortedEntries } from './sorted-entries.js';

interface Heading {
  readonly title: string;
  readonly titleColor: Color;
  readonly color: Color;
}

const HEADINGS: Readonly<Record<string, Heading>> = {
  local: { title: 'Local Keys:', titleColor: 'lightMagenta', color: 'lightMagenta' },
  minions: { title: 'Accepted Keys:', titleColor: 'lightGreen', color: 'green' },
  minions_denied: { title: 'Denied Keys:', titleColor: 'lightMagenta', color: 'lightMagenta' },
  minions_pre: { title: 'Unaccepted Keys:', titleColor: 'lightRed', color: 'red' },
  minions_rejected: { title: 'Rejected Keys:', titleColor: 'lightBlue', color: 'blue' },
};

export const key: Outputter = (value, options) => {
  if (!isMap(value)) return nested(value, options);
  return sortedEntries(value)
    .flatMap(([state, keys]) => {
      const heading = Object.hasOwn(HEADINGS, state) ? HEADINGS[state] : undefined;
      if (heading === undefined) return [nested({ [state]: keys }, options)];
      const rows = rowsOf(keys).map((row) => paint(row, heading.color, options.color));
      return [paint(heading.title, heading.titleColor, options.color), ...rows];
    })
    .join('\n');
};

function rowsOf(keys: Value): readonly string[] {
  if (isList(keys)) return keys.map((id) => disarm(pyStr(id)));
  if (!isMap(keys)) return [disarm(pyStr(keys))];
  return Object.entries(keys).map(([id, text]) => `${disarm(id)}:  ${printableLines(pyStr(text)).join('\n')}`);
}
