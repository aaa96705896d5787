/** One lowstate as Salt's clients write it, to what a request is made of. Unknown keys are ignored where Salt ignores them. */
import { jidAsText, parseNamedWord, parseWords, splitFunctions, yamlify } from '@natrium/args';
import { SILENT_MS } from '@natrium/flow';
import { type BatchSize, batchSizeOf } from '@natrium/jobs';
import {
  Float,
  isList,
  isMap,
  isTrue,
  joinArguments,
  KWARG_MARK,
  MAX_FUNS,
  MAX_TIMEOUT,
  pyStr,
  type Value,
  type ValueMap,
  withoutMark,
} from '@natrium/model';
import { BadRequestException } from '@nestjs/common';

export const CLIENTS = [
  'local', 'local_async', 'local_batch', 'local_subset', 'runner', 'runner_async', 'wheel', 'wheel_async',
] as const; // prettier-ignore
export type Client = (typeof CLIENTS)[number];

export interface LocalAsk {
  readonly tgt: string | readonly string[];
  readonly tgtType: string;
  /** Between the levels of grains and pillar; undefined: the usual one. */
  readonly delimiter: string | undefined;
  readonly funs: readonly string[];
  /** The function of a list of one: what it returns is told under its name, as minions tell what several return. */
  readonly only: string | undefined;
  readonly args: readonly (readonly Value[])[];
  readonly returner: string;
  readonly timeout: number;
  /** For how long a minion that is connected may not say whether it is at work on the job, in milliseconds; undefined: as the master is set. */
  readonly silentMs: number | undefined;
  readonly isFull: boolean;
  /** Goes with the job: to its minions, its events and the job cache. */
  readonly metadata: Value;
}

export interface RunAsk {
  readonly fun: string;
  readonly args: readonly Value[];
  readonly timeout: number;
  readonly isFull: boolean;
}

/** How a job goes to its minions by `local_batch`. */
export interface BatchAsk {
  readonly size: BatchSize;
  /** Ends with the first batch in which something failed. */
  readonly failhard: boolean;
  /** Between two batches. */
  readonly waitMs: number;
}

/** Keys of a runner's or wheel's lowstate that are no argument of the function. */
const NO_ARGUMENT: ReadonlySet<string> = new Set([
  'client', 'fun', 'arg', 'kwarg', 'eauth', 'username', 'password', 'sharedsecret', 'token', 'timeout', 'full_return', 'print_event',
]); // prettier-ignore
/** Named arguments of several functions, all together. */
const MAX_COPIES = 2048;
const DEFAULT_BATCH = '10%';
const DEFAULT_SUBSET = 3;

export function clientOf({ client }: ValueMap, enabled: ReadonlySet<string>): Client {
  const known = CLIENTS.find((one) => one === client);
  if (known === undefined) throw new BadRequestException(`Invalid client specified: ${shown(client)}`);
  if (!enabled.has(known)) {
    throw new BadRequestException(
      `Client disabled: '${known}'. Add to 'netapi_enable_clients' master config option to enable.`,
    );
  }
  return known;
}

export function localAsk(low: ValueMap, usualTimeout: number): LocalAsk {
  // A field that is left empty says nothing, as in a form.
  const tgtType = low['tgt_type'] === '' ? 'glob' : text(low['tgt_type'] ?? 'glob', 'tgt_type');
  const funs = functionsOf(low['fun']);
  const isNamed = isList(low['fun']);
  const [arg, kwarg] = [listOf(low['arg']), kwargOf(low)];
  // Each function gets all named arguments, and nobody may have logged in yet.
  const copies = funs.length === 1 ? 0 : funs.length * Object.keys(kwarg).length;
  if (funs.length > MAX_FUNS || copies > MAX_COPIES)
    throw new BadRequestException('The lowstate does not fit into a request');
  const lists = isNamed || funs.length > 1 ? funs.map((_, index) => listOf(arg[index])) : [arg];
  return {
    tgt: targetOf(low['tgt'], tgtType),
    tgtType,
    delimiter: typeof low['delimiter'] === 'string' && low['delimiter'] !== '' ? low['delimiter'] : undefined,
    funs,
    only: isNamed && funs.length === 1 ? funs[0] : undefined,
    args: lists.map((list) => argsOf(list, kwarg)),
    returner: typeof low['ret'] === 'string' ? low['ret'] : '',
    timeout: timeoutOf(low, usualTimeout),
    silentMs: silentOf(low['gather_job_timeout']),
    isFull: isTrue(yamlify(low['full_return'] ?? false)),
    metadata: low['metadata'] ?? null,
  };
}

/**
 * As Salt: what stands at the top level goes before `kwarg`, and that before `arg`. A runner's texts in `arg` are read as words of a
 * command line, those of the wheel as `local`'s.
 */
export function runAsk(what: 'run' | 'wheel', low: ValueMap, usualTimeout: number): RunAsk {
  const own = Object.entries(low).filter(([key]) => !NO_ARGUMENT.has(key) && !key.startsWith('__'));
  const [arg, named] = [listOf(low['arg']), { ...kwargOf(low), ...Object.fromEntries(own) }];
  return {
    fun: text(low['fun'], 'fun'),
    args: what === 'run' ? parseWords(arg, { named }) : argsOf(arg, named),
    timeout: timeoutOf(low, usualTimeout),
    isFull: isTrue(yamlify(low['full_return'] ?? false)),
  };
}

export function batchAsk(low: ValueMap): BatchAsk {
  const size = batchSizeOf(wordOf(low['batch'] ?? DEFAULT_BATCH));
  if (size === undefined)
    throw new BadRequestException('batch is a number of minions from 1, or a share: 3, 10% or %10');
  return { size, failhard: isTrue(yamlify(low['failhard'] ?? false)), waitMs: 1000 * waitOf(low['batch_wait']) };
}

/** The texts of a lowstate that are read as YAML: in `arg` a runner's words, and what any client's `k=v` says. */
export function wordsOf({ client, arg, full_return: isFull, failhard }: ValueMap): readonly Value[] {
  const isRun = client === 'runner' || client === 'runner_async';
  return [wordsIn(arg ?? null, isRun), isFull ?? null, failhard ?? null];
}

function wordsIn(arg: Value, isRun: boolean): Value {
  if (isList(arg)) return arg.map((one) => wordsIn(one, isRun));
  if (typeof arg !== 'string') return null;
  return parseNamedWord(arg)?.value ?? (isRun ? arg : null);
}

/** So many of the minions, whichever. */
export function subsetOf(low: ValueMap): number {
  const count = Number(wordOf(low['subset'] ?? low['sub'] ?? DEFAULT_SUBSET));
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new BadRequestException('subset is a whole number from 1');
}

function waitOf(wait: Value | undefined): number {
  const word = wordOf(wait ?? 0);
  const seconds = word.trim() === '' ? Number.NaN : Number(word);
  if (seconds >= 0 && seconds <= MAX_TIMEOUT) return seconds;
  throw new BadRequestException('batch_wait is a number of seconds, a day at most');
}

/** A number or a text, as a word of a command line; what is neither is none. */
function wordOf(value: Value): string {
  if (value instanceof Float) return String(value.value);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** `k=v` is a keyword, its value read as YAML; every other text stays as it is, and a number that is a job id becomes one. */
function argumentsIn(args: readonly Value[]): { readonly positional: readonly Value[]; readonly named: ValueMap } {
  const positional: Value[] = [];
  const named = new Map<string, Value>();
  for (const arg of args) {
    const word = typeof arg === 'string' ? parseNamedWord(arg) : undefined;
    if (word !== undefined) named.set(word.name, yamlify(word.value));
    else if (isMap(arg) && arg[KWARG_MARK] === true) {
      for (const [key, value] of Object.entries(arg)) if (key !== KWARG_MARK) named.set(key, value);
    } else positional.push(jidAsText(arg));
  }
  return { positional, named: Object.fromEntries(named) };
}

function argsOf(list: readonly Value[], kwarg: ValueMap): readonly Value[] {
  const { positional, named } = argumentsIn(list);
  // Spread behind another, a thousand names would cost a hundred times as much.
  const all = Object.fromEntries([...Object.entries(named), ...Object.entries(kwarg)]);
  return joinArguments({ positional, named: all });
}

function functionsOf(fun: Value | undefined): readonly string[] {
  if (!isList(fun)) return splitFunctions(text(fun, 'fun'));
  if (fun.length === 0) throw missing('fun');
  return fun.map((one) => text(one, 'fun'));
}

function targetOf(tgt: Value | undefined, tgtType: string): string | readonly string[] {
  if (isList(tgt)) return tgt.filter((id) => id !== '').map((id) => text(id, 'tgt'));
  const target = text(tgt, 'tgt');
  if (tgtType !== 'list') return target;
  return target
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

function kwargOf({ kwarg }: ValueMap): ValueMap {
  // Also an empty list, as PHP writes an empty map.
  if (kwarg === undefined || !isTrue(kwarg)) return {};
  if (!isMap(kwarg)) throw new BadRequestException('kwarg is a mapping');
  return withoutMark(kwarg);
}

function listOf(arg: Value | undefined): readonly Value[] {
  if (arg === undefined || arg === null) return [];
  return isList(arg) ? arg : [arg];
}

function timeoutOf({ timeout }: ValueMap, usual: number): number {
  const seconds = saysNothing(timeout) ? usual : secondsOf(timeout, 'timeout');
  return Math.min(Math.max(Math.ceil(seconds), 1), MAX_TIMEOUT);
}

/** In milliseconds. */
function silentOf(asked: Value | undefined): number | undefined {
  if (saysNothing(asked)) return undefined;
  const ms = secondsOf(asked, 'gather_job_timeout') * 1000;
  return Math.round(Math.min(Math.max(ms, SILENT_MS.least), SILENT_MS.most));
}

function secondsOf(asked: Value | undefined, key: string): number {
  const seconds = asked instanceof Float ? asked.value : Number(asked);
  if (!Number.isFinite(seconds)) throw new BadRequestException(`${key} is a number of seconds`);
  return seconds;
}

/** Besides an empty text: an empty list, as PHP writes an empty map, and whatever else is false and no whole number. */
function saysNothing(timeout: Value | undefined): boolean {
  if (timeout === undefined || timeout === null) return true;
  if (typeof timeout === 'string') return timeout.trim() === '';
  return typeof timeout !== 'number' && !isTrue(timeout);
}

function text(value: Value | undefined, key: string): string {
  if (value === undefined || value === null || value === '') throw missing(key);
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  throw new BadRequestException(`${key} is a text`);
}

function missing(key: string): BadRequestException {
  return new BadRequestException(`Missing required key '${key}'`);
}

function shown(value: Value | undefined): string {
  if (value !== undefined && (isList(value) || isMap(value))) return `a ${isList(value) ? 'list' : 'mapping'}`;
  // Salt has it, and whoever enabled it there reads the rest as a slip of his own.
  const more = value === 'ssh' ? " is not built; minions are asked by 'local'" : '';
  return `'${pyStr(value ?? null).slice(0, 64)}'${more}`;
}
