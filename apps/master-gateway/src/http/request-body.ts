/**
 * What a request says, by its content type: JSON (also as `text/plain`, which browsers send by default), YAML, or a form.
 *
 * Spec: docs/http-api.md#bodies. Nothing here may cost more than its length.
 */
import { randomUUID } from 'node:crypto';
import { readDocument, staysText, yamlify } from '@natrium/args';
import { isList, isMap, readJson, type Value, type ValueMap } from '@natrium/model';
import { BadRequestException, NotAcceptableException } from '@nestjs/common';

const MAX_DEPTH = 60;
/** Of the way to a value that is refused, as the answer tells it. */
const MAX_STEPS = 8;
/** Of a form. A list is as many fields of one name: so many minions' ids are more than fit into a request. */
const MAX_FIELDS = 10_000;
const MAX_NAMES = 1000;
/** No client can know it. */
const MARK = `${randomUUID()}:`;
/** A form's texts that are read as YAML; the others are names and targets. */
const PARSED: ReadonlySet<string> = new Set(['arg', 'kwarg']);

const TAKEN = 'send application/json, application/x-yaml or application/x-www-form-urlencoded';

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Each word that is read as YAML costs as much as so many characters more. */
const WORD = 32;
/** Characters of YAML that are parsed again, as often as it takes, where lines within brackets or quotes lack blanks: some milliseconds. */
const INDENTED = 16_384;

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
      return plainText(text, bytes);
    case 'application/x-www-form-urlencoded':
      if (bytes === 'utf-8') checkForm(text);
      return fromForm(text, onYaml);
    case 'application/x-yaml':
    case 'text/yaml':
      return fromYaml(text, onYaml);
    default:
      throw new NotAcceptableException(`A body of the type ${JSON.stringify(type)} is not understood: ${TAKEN}`);
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

/** What stands in a form as `%E9` is a byte of its text, too. Clients that are told no type, such as curl, send JSON as a form. */
function checkForm(form: string): void {
  if (/^\s*[{[]/.test(form)) {
    const mend = 'send it with the header Content-Type: application/json';
    throw new BadRequestException(`The body looks like JSON, but came as a form: ${mend}`);
  }
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
  return taken('JSON document', parsedJson(text));
}

function parsedJson(text: string): Value {
  try {
    return readJson(text, MARK);
  } catch (cause) {
    // What the parser itself says holds a piece of the body, which may be a password.
    const said =
      cause instanceof RangeError ? `The JSON document is refused: ${cause.message}` : 'Invalid JSON document';
    throw new BadRequestException(said, { cause });
  }
}

/** @param bytes Where nobody acts on it, JSON that is refused is told as the text that it came as. */
function plainText(text: string, bytes: 'utf-8' | 'any'): Value {
  try {
    return fromJson(text);
  } catch (cause) {
    const isNoJson = cause instanceof Error && cause.cause instanceof SyntaxError;
    if (bytes === 'any' || isNoJson) return text;
    throw cause;
  }
}

function fromYaml(text: string, onYaml: (length: number) => void): Value {
  onYaml(text.length);
  const read = readDocument(text, () => {
    onYaml(INDENTED);
    return INDENTED;
  });
  if (read.ok) return taken('YAML document', read.value);
  const { reason, line, column } = read.error;
  const place = line === undefined ? '' : ` (${String(line)}:${String(column)})`;
  throw new BadRequestException(`Invalid YAML document: ${reason}${place}`);
}

function fromForm(text: string, onYaml: (length: number) => void): Value {
  const fields = new Map<string, Value[]>();
  const given = [...new URLSearchParams(text)];
  const names = new Set(given.map(([key]) => key));
  if (given.length > MAX_FIELDS || names.size > MAX_NAMES)
    throw new BadRequestException(`A form has ${String(MAX_FIELDS)} fields at most, of ${String(MAX_NAMES)} names`);
  onYaml(yamlIn(given.flatMap(([key, value]) => (PARSED.has(key) && value !== '' ? [value] : []))));
  for (const [key, value] of given) {
    // As Salt: a field that was left empty is not there.
    if (value === '') continue;
    const values = fields.get(key) ?? [];
    values.push(PARSED.has(key) ? yamlify(value) : value);
    fields.set(key, values);
  }
  return taken('form', Object.fromEntries([...fields].map(([key, values]) => [key, ofField(key, values)])));
}

function ofField(key: string, values: readonly Value[]): Value {
  return key === 'arg' || values.length > 1 ? values : (values[0] ?? null);
}

interface Fault {
  readonly what: string;
  /** The keys and indexes that lead there. */
  readonly path: readonly (string | number)[];
}

/** Whatever a parser made. @throws {BadRequestException} That says what of it is refused, and where that stands. */
function taken(document: string, value: Value): Value {
  const fault = faultIn(value, 0);
  if (fault === undefined) return value;
  throw new BadRequestException(`The ${document} is refused: ${fault.what} at ${placeOf(fault.path)}`);
}

/** A key that is a way into a prototype, a text that is not Unicode, or a depth that costs. */
function faultIn(value: Value, depth: number): Fault | undefined {
  if (depth > MAX_DEPTH) return { what: `more than ${String(MAX_DEPTH)} levels`, path: [] };
  if (typeof value === 'string') return value.isWellFormed() ? undefined : { what: 'a lone surrogate', path: [] };
  if (!isList(value) && !isMap(value)) return undefined;
  for (const [key, item] of isList(value) ? value.entries() : Object.entries(value)) {
    const fault = faultOf(key) ?? faultIn(item, depth + 1);
    if (fault !== undefined) return { ...fault, path: [key, ...fault.path] };
  }
  return undefined;
}

function faultOf(key: string | number): Fault | undefined {
  if (key === '__proto__') return { what: 'a key that is never taken', path: [] };
  return typeof key === 'number' || key.isWellFormed() ? undefined : { what: 'a key with a lone surrogate', path: [] };
}

/** As `[0].kwarg.name`; of a long way the beginning. */
function placeOf(path: readonly (string | number)[]): string {
  const steps = path.slice(0, MAX_STEPS).map((step) => {
    if (typeof step === 'string' && /^\w{1,64}$/.test(step)) return `.${step}`;
    return `[${typeof step === 'number' ? String(step) : JSON.stringify(step.slice(0, 64))}]`;
  });
  return steps.length === 0 ? 'its top' : `${steps.join('').replace(/^\./, '')}${path.length > MAX_STEPS ? '…' : ''}`;
}
