/**
 * The grains that were set on this host: the file `grains` in the folder of the minion's configuration, in YAML, as Salt has
 * it. They come after what is gathered and before the `grains` of the configuration itself.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadYaml } from '@natrium/args';
import {
  countValues,
  isList,
  isMap,
  isReadable,
  MAX_KEPT_BYTES,
  MAX_KEPT_VALUES,
  messageOf,
  pyRepr,
  type Value,
  type ValueMap,
} from '@natrium/model';
import { ExecutionError } from '../loader/errors.js';

const OWNER_WRITES = 0o640;
/** Half of what a minion may tell of itself, beside what is gathered: with more its agent could not start again. */
const [MAX_BYTES, MAX_VALUES] = [MAX_KEPT_BYTES / 2, MAX_KEPT_VALUES / 2];

export class GrainsFile {
  readonly path: string;

  /** @param folder Of the minion's configuration. */
  constructor(folder: string) {
    this.path = join(folder, 'grains');
  }

  /** Empty where there is no such file. @throws {ExecutionError} When it cannot be read, or is no mapping: with its path. */
  read(): ValueMap {
    const text = this.#text();
    if (text.trim() === '') return {};
    const value = parsed(text, this.path);
    if (value === null) return {};
    if (!isMap(value)) throw new ExecutionError(`${this.path}: it is not a mapping of grains`);
    return value;
  }

  /** Whoever reads meanwhile reads the old file or the new one, whole. @throws {Error} When it cannot be written, or is more than anybody takes. */
  write(grains: ValueMap): void {
    const text = yaml(grains);
    if (!isReadable(grains))
      throw new Error(`${this.path}: it would be nested more than 22 levels deep; nothing was set`);
    if (isTooMuch(grains) && !isLess(grains, this.read()))
      throw new Error(`${this.path}: at most 512 KiB and 50,000 values can be set; nothing was`);
    // What could not be read again would hide all the others from the next start.
    parsed(text, `what ${this.path} would hold`);
    mkdirSync(dirname(this.path), { recursive: true });
    const next = `${this.path}.${process.pid}.new`;
    try {
      writeFileSync(next, text, { mode: OWNER_WRITES, flush: true });
      renameSync(next, this.path);
    } finally {
      rmSync(next, { force: true });
    }
  }

  #text(): string {
    try {
      return existsSync(this.path) ? readFileSync(this.path, 'utf8') : '';
    } catch (error) {
      throw new ExecutionError(`${this.path} cannot be read: ${messageOf(error)}`, { cause: error });
    }
  }
}

const sizeOf = (grains: ValueMap): number => Buffer.byteLength(yaml(grains));
const countOf = (grains: ValueMap): number => countValues([grains], Infinity);

function isTooMuch(grains: ValueMap): boolean {
  return sizeOf(grains) > MAX_BYTES || countOf(grains) > MAX_VALUES;
}

/** What is too much already may become less. */
function isLess(grains: ValueMap, before: ValueMap): boolean {
  return sizeOf(grains) <= sizeOf(before) && countOf(grains) <= countOf(before);
}

function parsed(text: string, path: string): Value {
  const loaded = loadYaml(text, path);
  if (loaded.ok) return loaded.value.value;
  const { reason, line, column } = loaded.error;
  const place = line === undefined ? '' : ` (line ${String(line)}, column ${String(column)})`;
  throw new ExecutionError(`${path} is no YAML: ${reason}${place}`);
}

/** One line for each grain; its value in YAML's flow style. */
function yaml(grains: ValueMap): string {
  return Object.entries(grains)
    .map(([name, value]) => `${JSON.stringify(name)}: ${flow(value)}\n`)
    .join('');
}

/** As JSON, but for what YAML would read as something else, or not at all. */
function flow(value: Value): string {
  if (isList(value)) return `[${value.map(flow).join(',')}]`;
  if (isMap(value)) return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${flow(item)}`).join(',')}}`; // prettier-ignore
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value === 'boolean') return String(value);
  const digits = pyRepr(value);
  // Without its point YAML 1.1 reads it as a text.
  return FLOATS[digits] ?? (digits.includes('.') ? digits : digits.replace('e', '.0e'));
}

const FLOATS: Readonly<Record<string, string>> = { nan: '.nan', inf: '.inf', '-inf': '-.inf' };
