/**
 * What a request says, by its content type: JSON (also as `text/plain`, which browsers send by default), YAML, or a form.
 *
 * Spec: docs/http-api.md#bodies. Nothing here may cost more than its length.
 */
import { randomUUID } from 'node:crypto';
import { readYaml, staysText, yamlify } from '@natrium/args';
import { isList, isMap, readJson, type Value, type ValueMap } from '@natrium/model';
import { BadRequestException, NotAcceptableException } from '@nestjs/common';

const MAX_DEPTH = 60;
/** Of a form. A list is as many fields of one name: so many minions' ids are more than fit into a request. */
const MAX_FIELDS = 10_000;
const MAX_NAMES = 1000;
/** No client can know it. */
const MARK = `${randomUUID()}:`;
/** A form's texts that are read as YAML; the others are names and targets. */
const PARSED: ReadonlySet<string> = new Set(['arg', 'kwarg']);

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Each word that is read as YAML costs as much as so many characters more. */
const WORD = 32;

/**
 * @param bytes `any`: what is not UTF-8 is shown as such (U+FFFD), where nobody acts on it.
 * @param onYaml Hears how much of it is YAML, before that is read; it may throw.
 * @returns undefined when there is no body.
 * @throws {HttpException} 400 or 406.
 */
export function readBody(
  contentType: string | undefined,
  body: Buffer,
  bytes: 'utf-8' | 'any' = 'utf-8',
  onYaml: (length: number) => void = () => undefined,
): Value | undefined {
  if (body.length === 0) return undefined;
  const type = (contentType ?? 'application/x-www-form-urlencoded').split(';', 1)[0]?.trim().toLowerCase();
  const text = bytes === 'any' ? body.toString('utf8') : textOf(body);
  switch (type) {
    case 'application/json':
      return fromJson(text);
    case 'text/plain':
      return plainText(text);
    case 'application/x-www-form-urlencoded':
      if (bytes === 'utf-8') checkEscapes(text);
      return fromForm(text, onYaml);
    case 'application/x-yaml':
    case 'text/yaml':
      onYaml(text.length);
      return fromYaml(text);
    default:
      throw new NotAcceptableException(`A body of the type ${JSON.stringify(type)} is not understood`);
  }
}

/** What reading the texts among them as YAML costs, in characters. */
export function yamlIn(words: Value): number {
  if (isList(words)) return words.reduce((sum: number, word) => sum + yamlIn(word), 0);
  return typeof words === 'string' && !staysText(words) ? words.length + WORD : 0;
}

/** One mapping is a list of one, a list is itself. @throws {BadRequestException} */
export function lowstates(body: Value | undefined): readonly ValueMap[] {
  const list = isMap(body) ? [body] : body;
  if (!isList(list) || !list.every((low) => isMap(low))) throw new BadRequestException('Lowstates must be a list');
  return list;
}

function textOf(body: Buffer): string {
  try {
    return UTF_8.decode(body);
  } catch (cause) {
    throw notUtf8(cause);
  }
}

/** What stands in a form as `%E9` is a byte of its text, too. */
function checkEscapes(form: string): void {
  try {
    for (const [run] of form.matchAll(/(?:%[0-9a-f]{2})+/gi)) decodeURIComponent(run);
  } catch (cause) {
    throw notUtf8(cause);
  }
}

function notUtf8(cause: unknown): BadRequestException {
  return new BadRequestException('The body is not UTF-8', { cause });
}

function fromJson(text: string): Value {
  try {
    return checked(readJson(text, MARK), 0);
  } catch (cause) {
    throw new BadRequestException('Invalid JSON document', { cause });
  }
}

function plainText(text: string): Value {
  try {
    return checked(readJson(text, MARK), 0);
  } catch {
    return text;
  }
}

function fromYaml(text: string): Value {
  try {
    return checked(readYaml(text).value, 0);
  } catch (cause) {
    throw new BadRequestException('Invalid YAML document', { cause });
  }
}

function fromForm(text: string, onYaml: (length: number) => void): Value {
  const fields = new Map<string, Value[]>();
  const given = [...new URLSearchParams(text)];
  const names = new Set(given.map(([key]) => key));
  if (given.length > MAX_FIELDS || names.size > MAX_NAMES) throw new BadRequestException('Too many fields');
  onYaml(yamlIn(given.flatMap(([key, value]) => (PARSED.has(key) && value !== '' ? [value] : []))));
  for (const [key, value] of given) {
    // As Salt: a field that was left empty is not there.
    if (value === '') continue;
    const values = fields.get(key) ?? [];
    values.push(PARSED.has(key) ? yamlify(value) : value);
    fields.set(key, values);
  }
  try {
    return checked(Object.fromEntries([...fields].map(([key, values]) => [key, ofField(key, values)])), 0);
  } catch (cause) {
    throw new BadRequestException('Invalid form', { cause });
  }
}

function ofField(key: string, values: readonly Value[]): Value {
  return key === 'arg' || values.length > 1 ? values : (values[0] ?? null);
}

/** Whatever a parser made: no key that is a way into a prototype, no text that is not Unicode, no depth that costs. */
function checked(data: unknown, depth: number): Value {
  if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
  if (typeof data === 'string') return wellFormed(data);
  if (Array.isArray(data)) return data.map((item) => checked(item, depth + 1));
  if (!isMap(data as Value)) return data as Value;
  const entries = Object.entries(data as ValueMap).map(([key, item]) => {
    if (key === '__proto__') throw new RangeError('a key that is refused');
    return [wellFormed(key), checked(item, depth + 1)] as const;
  });
  return Object.fromEntries(entries);
}

function wellFormed(text: string): string {
  if (!text.isWellFormed()) throw new RangeError('a text that is not Unicode');
  return text;
}
