/** `raw` and `pprint`: Python's text of the value on one line. `raw` prints a bare text without quotes, as `str()`. */
import { pyRepr, pyStr } from '@natrium/model';
import type { Outputter } from './outputter.js';

export const raw: Outputter = (value) => pyStr(value);

export const pprint: Outputter = (value) => pyRepr(value);
