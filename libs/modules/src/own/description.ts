/**
 * What a module of the user says of itself: read from JSON, strictly, so that a slip is named when the file is loaded and
 * not when somebody calls it.
 */
import { isList, isMap, type Value, type ValueMap } from '@natrium/model';
import { type FunctionText, type Param, PARAM_TYPES, type ParamType } from '../loader/declaration.js';

export interface DescribedFunction extends FunctionText {
  readonly params: readonly Param[];
  /** Seconds that one call may take; the limit of the configuration where it is absent. */
  readonly timeout?: number;
}

export type Description = Readonly<Record<string, DescribedFunction>>;

/** A sentence that follows the file's name. */
export class NotDescribed extends Error {
  override readonly name = 'NotDescribed';
}

const WORD = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const MAX_FUNCTIONS = 1000;
const MAX_TIMEOUT = 3600;

export function isModuleName(name: string): boolean {
  return WORD.test(name);
}

/** @throws {NotDescribed} Naming the function and the key that is wrong. */
export function readDescription(said: Value, name: string): Description {
  const about = mapOf(said, 'its description');
  onlyKeys(about, ['name', 'functions'], 'its description');
  if (about['name'] !== undefined && about['name'] !== name) {
    throw new NotDescribed(`it says that its name is ${JSON.stringify(about['name'])}; by its file it is ${name}`);
  }
  const functions = Object.entries(mapOf(about['functions'], 'functions'));
  if (functions.length === 0 || functions.length > MAX_FUNCTIONS)
    throw new NotDescribed('functions is empty or too long');
  return Object.fromEntries(functions.map(([fun, spec]) => [wordOf(fun, 'a function'), functionOf(spec, fun)]));
}

function functionOf(said: Value, fun: string): DescribedFunction {
  const about = mapOf(said, fun);
  onlyKeys(about, ['doc', 'params', 'returns', 'examples', 'timeout'], fun);
  const { doc, params = [], returns, examples, timeout } = about;
  if (typeof doc !== 'string' || doc.trim() === '') throw new NotDescribed(`${fun}: doc must say what it does`);
  if (!isList(params)) throw new NotDescribed(`${fun}: params must be a list`);
  return {
    doc,
    params: distinct(params.map((param) => paramOf(param, fun)), fun), // prettier-ignore
    ...(returns === undefined ? {} : { returns: textOf(returns, `${fun}: returns`) }),
    ...(examples === undefined ? {} : { examples: textsOf(examples, `${fun}: examples`) }),
    ...(timeout === undefined ? {} : { timeout: secondsOf(timeout, fun) }),
  };
}

function paramOf(said: Value, fun: string): Param {
  const about = mapOf(said, `${fun}: a parameter`);
  const doc = about['doc'] === undefined ? {} : { doc: textOf(about['doc'], `${fun}: doc of a parameter`) };
  const [first] = ['name', 'rest', 'kwargs'].filter((key) => about[key] !== undefined);
  const name = wordOf(about[first ?? 'name'], `${fun}: a parameter`);
  if (first !== 'name') {
    onlyKeys(about, [first ?? '', 'doc'], `${fun}: ${name}`);
    return first === 'rest' ? { rest: name, ...doc } : { kwargs: name, ...doc };
  }
  onlyKeys(about, ['name', 'type', 'default', 'keyword', 'doc'], `${fun}: ${name}`);
  const type = typeOf(about['type'] ?? 'any', `${fun}: ${name}`);
  const { default: preset, keyword } = about;
  if (keyword !== undefined && keyword !== true) throw new NotDescribed(`${fun}: ${name}: keyword is true or absent`);
  return { name, type, ...(preset === undefined ? {} : { default: preset }), ...(keyword && { keyword }), ...doc };
}

function typeOf(said: Value, where: string): ParamType {
  const type = PARAM_TYPES.find((known) => known === said);
  if (type === undefined) throw new NotDescribed(`${where}: type must be one of ${PARAM_TYPES.join(', ')}`);
  return type;
}

function distinct(params: readonly Param[], fun: string): readonly Param[] {
  const names = params.map((param) => ('name' in param ? param.name : 'rest' in param ? param.rest : param.kwargs));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new NotDescribed(`${fun}: two parameters are called ${twice}`);
  if (params.filter((param) => 'rest' in param).length > 1 || params.filter((param) => 'kwargs' in param).length > 1) {
    throw new NotDescribed(`${fun}: rest and kwargs stand once each`);
  }
  return params;
}

function secondsOf(said: Value, fun: string): number {
  if (typeof said === 'number' && said > 0 && said <= MAX_TIMEOUT) return said;
  throw new NotDescribed(`${fun}: timeout must be seconds, at most ${MAX_TIMEOUT}`);
}

function mapOf(said: Value | undefined, where: string): ValueMap {
  if (!isMap(said)) throw new NotDescribed(`${where} must be a mapping`);
  return said;
}

function textOf(said: Value, where: string): string {
  if (typeof said !== 'string') throw new NotDescribed(`${where} must be text`);
  return said;
}

function textsOf(said: Value, where: string): readonly string[] {
  if (!isList(said)) throw new NotDescribed(`${where} must be a list of texts`);
  return said.map((text) => textOf(text, where));
}

function wordOf(said: Value | undefined, where: string): string {
  if (typeof said === 'string' && WORD.test(said)) return said;
  throw new NotDescribed(`${where} must have a name of letters, digits and _`);
}

function onlyKeys(map: ValueMap, known: readonly string[], where: string): void {
  const unknown = Object.keys(map).filter((key) => !known.includes(key));
  if (unknown.length > 0) throw new NotDescribed(`${where} has no key ${unknown.join(', ')}`);
}
