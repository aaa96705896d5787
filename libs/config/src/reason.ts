/** Why the schema refuses a value, as a sentence; the mend says what the key takes. It never holds the value, which may be secret. */
import { Float, isMap, type Value } from '@natrium/model';
import type * as z from 'zod/mini';

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'yes or no',
  array: 'a list',
  record: 'a mapping',
};

export function reasonOf(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_type')
    return `this is ${kindOf(issue.input)}, not ${KINDS[issue.expected] ?? issue.expected}`;
  if (issue.code === 'too_small') return `this is less than ${String(issue.minimum)}`;
  if (issue.code === 'too_big') return tooBig(issue.origin, String(issue.maximum));
  if (issue.code === 'invalid_format') return 'this text has characters or a length that are not allowed';
  if (issue.code === 'invalid_union') return noTextList(issue.input);
  return 'this is none of the values that it takes';
}

function noTextList(input: unknown): string {
  if (Array.isArray(input)) return 'this list is too long, or an item of it is not a text';
  return `this is ${kindOf(input)}, not a text or a list of texts`;
}

function tooBig(origin: string, maximum: string): string {
  if (origin === 'string') return `this is longer than ${maximum} characters`;
  return origin === 'array' ? `this has more than ${maximum} items` : `this is more than ${maximum}`;
}

function kindOf(input: unknown): string {
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'string') return 'a text';
  if (typeof input === 'boolean') return 'yes or no';
  if (typeof input === 'bigint') return 'an integer beyond 2^53';
  if (input instanceof Float || typeof input === 'number') return 'a number';
  return input !== undefined && isMap(input as Value) ? 'a mapping' : 'nothing';
}
