/** `raw`: Python's text of the value on one line, a bare text without quotes, as `str()`. */
import { pyStr } from '@natrium/model';
import { printableLines } from './lines.js';
import type { Outputter } from './outputter.js';

export const raw: Outputter = (value) => (typeof value === 'string' ? printableLines(value).join('\n') : pyStr(value));
