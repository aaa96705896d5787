/**
 * The `reactor` section, compiled: which tags set off which calls. A rule that makes no sense stops the start.
 *
 * Spec: docs/reactor.md.
 */
import { compileGlob, parseTarget } from '@natrium/matchers';
import { err, Float, isList, isMap, ok, type Result, type Value, type ValueMap } from '@natrium/model';
import { isOfEvent, placeholdersIn } from './event-values.js';

export type ReactionPath = readonly (string | number)[];

export interface ReactorProblem {
  readonly path: ReactionPath;
  readonly reason: string;
  readonly mend: string;
}

export interface Reaction {
  /** The reaction's own name: a caller in `reactor_grants`. */
  readonly name: string;
  readonly path: ReactionPath;
  /** The glob over the whole tag. */
  readonly tag: string;
  readonly matches: (tag: string) => boolean;
  readonly what: 'job' | 'run' | 'wheel';
  readonly fun: string;
  readonly tgt: Value;
  readonly tgtType: string;
  readonly args: readonly Value[];
  readonly kwargs: ValueMap;
  /** Seconds. */
  readonly timeout: number;
  /** The values of the event that it uses. */
  readonly values: readonly string[];
}

export interface Reactions {
  readonly reactions: readonly Reaction[];
  readonly problems: readonly ReactorProblem[];
}

const KINDS = { local: 'job', runner: 'run', wheel: 'wheel' } as const;
const NAME = /^[A-Za-z0-9][\w.-]{0,126}$/;
const FUNCTION = /^(local|runner|wheel)\.(\w+(?:\.\w+)+)$/;
const TIMEOUT = 5;
const MAX_TIMEOUT = 3600;
const FORM = 'write "- <tag glob>: [{<name>: {local.<function>: [{tgt: …}, {args: […]}]}}]", see docs/reactor.md';
const LOCAL_KEYS = new Set(['tgt', 'tgt_type', 'expr_form', 'timeout']);

/** Runners that run functions, and the names of their first arguments: what stands there is said as if by name. */
const RUNS_FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  'salt.cmd': ['fun'],
  'salt.execute': ['tgt', 'fun', 'arg', 'timeout', 'tgt_type'],
  'survey.diff': ['tgt', 'fun'],
  'survey.hash': ['tgt', 'fun'],
};

class Problem extends Error {
  constructor(
    readonly path: ReactionPath,
    reason: string,
    readonly mend = FORM,
  ) {
    super(reason);
  }
}

/** Compiles what it can: a problem costs only the reaction, the tag or the section that it is in. */
export function compileReactor(config: Value): Reactions {
  const reactions: Reaction[] = [];
  const problems: ReactorProblem[] = [];
  const names = new Set<string>();
  const attempt = (compile: () => void) => {
    try {
      compile();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problems.push({ path: error.path, reason: error.message, mend: error.mend });
    }
  };
  const addAll = (entry: Value, path: ReactionPath, of: Pick<Written, 'tag' | 'matches'>) => {
    for (const [name, call] of entriesOf(entry, path)) {
      const reaction = reactionOf([...path, name], { ...of, name, call });
      if (names.has(name))
        throw new Problem(reaction.path, `the name ${name} is taken by another reaction`, 'give each its own');
      names.add(name);
      reactions.push(reaction);
    }
  };
  const addTag = (path: ReactionPath, tag: string, list: Value) => {
    const matches = globOf(tag, path);
    if (!isList(list)) throw new Problem(path, 'the reactions of a tag are a list');
    for (const [index, entry] of list.entries())
      attempt(() => {
        addAll(entry, [...path, index], { tag, matches });
      });
  };
  attempt(() => {
    for (const [path, tag, list] of tagsOf(config))
      attempt(() => {
        addTag(path, tag, list);
      });
  });
  return { reactions, problems };
}

function tagsOf(config: Value): readonly (readonly [ReactionPath, string, Value])[] {
  if (!isList(config)) throw new Problem(['reactor'], 'it is a list');
  return config.flatMap((entry, index) => {
    if (!isMap(entry)) throw new Problem(['reactor', index], 'each entry is a tag with its reactions');
    return Object.entries(entry).map(([tag, list]) => [['reactor', index, tag], tag, list] as const);
  });
}

function globOf(tag: string, path: ReactionPath): (tag: string) => boolean {
  const glob = compileGlob(tag);
  if (!glob.ok) throw new Problem(path, `'${tag}' is no glob: ${glob.error.reason}`);
  return glob.value.test;
}

function entriesOf(entry: Value, path: ReactionPath): readonly (readonly [string, Value])[] {
  if (typeof entry === 'string') {
    throw new Problem(path, 'files of reactions are not read: Salt runs them as templates', FORM);
  }
  if (!isMap(entry)) throw new Problem(path, 'a reaction has a name');
  return Object.entries(entry);
}

interface Written {
  readonly name: string;
  readonly tag: string;
  readonly matches: (tag: string) => boolean;
  readonly call: Value;
}

function reactionOf(path: ReactionPath, { name, tag, matches, call }: Written): Reaction {
  if (!NAME.test(name)) throw new Problem(path, 'a name has letters, digits, dots, dashes and at most 127 characters');
  const [first, ...more] = isMap(call) ? Object.entries(call) : [];
  const [word = '', settings = null] = first ?? [];
  if (more.length > 0) throw new Problem(path, 'a reaction calls one function', 'give each call a name of its own');
  const [, kind, fun = ''] = FUNCTION.exec(word) ?? [];
  if (kind === undefined) throw new Problem(path, `'${word}' is not local.…, runner.… or wheel.…`);
  const what = KINDS[kind as keyof typeof KINDS];
  const all = settingsOf(settings, [...path, word]);
  const found = placeholdersIn(all);
  if (!found.ok) throw new Problem([...path, word], found.error);
  const { args, kwargs } = argumentsOf(all, what === 'job', [...path, word]);
  const { tgt = '', timeout: written = TIMEOUT, tgt_type: tgtType = all['expr_form'] ?? 'glob' } = all;
  if (what === 'job') checkTarget(tgt, tgtType, [...path, word]);
  if (what === 'run') checkWritten({ fun, args, kwargs }, [...path, word]);
  const timeout = written instanceof Float ? written.value : written;
  if (typeof timeout !== 'number' || !(timeout > 0 && timeout <= MAX_TIMEOUT))
    throw new Problem([...path, word], `timeout takes seconds up to ${String(MAX_TIMEOUT)}`, 'write timeout: 10');
  const target = what === 'job' && typeof tgtType === 'string' ? { tgt, tgtType } : { tgt: '', tgtType: 'glob' };
  return { name, path, tag, matches, what, fun, ...target, args, kwargs, timeout, values: found.value };
}

/** Salt's list of one-key maps, or one map. */
function settingsOf(settings: Value, path: ReactionPath): ValueMap {
  if (settings === null) return {};
  if (isMap(settings)) return settings;
  if (!isList(settings)) throw new Problem(path, 'what a call takes is a list of settings, or a mapping');
  const all = new Map<string, Value>();
  for (const one of settings) {
    if (!isMap(one)) throw new Problem(path, 'each of the settings has a name');
    for (const [key, value] of Object.entries(one)) {
      if (all.has(key)) throw new Problem(path, `${key} is there twice`, 'remove one');
      all.set(key, value);
    }
  }
  return Object.fromEntries(all);
}

/**
 * `args` as Salt has it since 2017.7, `arg` and `kwarg` as before; what else a runner is given are named arguments.
 *
 * Diverges: beside `args` Salt takes no notice of `arg` and `kwarg`, and its log says so. Here they are a problem.
 */
function argumentsOf(all: ValueMap, local: boolean, path: ReactionPath) {
  const older = ['arg', 'kwarg'].find((key) => Object.hasOwn(all, key));
  if (Object.hasOwn(all, 'args') && older !== undefined)
    throw new Problem(path, `${older} stands beside args`, 'put all arguments under args');
  const args: Value[] = [];
  const kwargs = new Map<string, Value>();
  const named = (map: ValueMap) => {
    for (const [key, value] of Object.entries(map)) kwargs.set(key, value);
  };
  for (const [key, value] of Object.entries(all)) {
    if (key === 'args' || key === 'arg') {
      if (isMap(value)) named(value);
      else if (key === 'args' && isList(value) && value.length > 0 && value.every((one) => isMap(one))) {
        for (const one of value) named(one);
      } else args.push(...(isList(value) ? value : [value]));
    } else if (key === 'kwarg') {
      if (!isMap(value)) throw new Problem(path, 'kwarg is a mapping');
      named(value);
    } else if (key === 'timeout' || (local && LOCAL_KEYS.has(key))) continue;
    else if (local) throw new Problem(path, `${key} is not a setting of local calls`, 'put arguments under args');
    else kwargs.set(key, value);
  }
  return { args, kwargs: Object.fromEntries(kwargs) };
}

/** What a runner that runs functions is given under this name: by its place, by its name, or both. */
export function saidOf(
  { fun, args, kwargs }: Pick<Reaction, 'fun' | 'args' | 'kwargs'>,
  name: string,
): readonly Value[] {
  const places = Object.hasOwn(RUNS_FUNCTIONS, fun) ? RUNS_FUNCTIONS[fun] : undefined;
  if (places === undefined) return [];
  const placed = args.filter((_, at) => places[at] === name);
  return Object.hasOwn(kwargs, name) ? [...placed, kwargs[name] ?? null] : placed;
}

function checkWritten(run: Pick<Reaction, 'fun' | 'args' | 'kwargs'>, path: ReactionPath): void {
  for (const name of ['fun', 'tgt_type'])
    if (saidOf(run, name).some(isOfEvent))
      throw new Problem(path, `${name} is never an event's to say`, 'write it out');
}

function checkTarget(tgt: Value, tgtType: Value, path: ReactionPath): void {
  const target = typeof tgt === 'string' ? tgt : isList(tgt) ? tgt.filter((id) => typeof id === 'string') : '';
  if (target.length === 0 || (isList(tgt) && target.length < tgt.length)) {
    throw new Problem(path, 'tgt is missing', 'write tgt: <target>, such as ${data.id}');
  }
  if (typeof tgtType !== 'string' || tgtType.includes('${')) throw new Problem(path, 'tgt_type is no target type');
  const found = placeholdersIn(tgt);
  if (found.ok && found.value.length > 0 && tgtType !== 'glob' && tgtType !== 'list') {
    throw new Problem(path, 'an event names minions by id only', 'use tgt_type glob or list with values of the event');
  }
  // What node groups there are, the acl-service knows when it is asked.
  if (tgtType === 'nodegroup' || [target].flat().join(' ').includes('N@')) return;
  const parsed = parseTarget({ tgt: target, tgtType }, { nodegroups: new Map() });
  if (!parsed.ok) throw new Problem(path, `tgt means nobody: ${parsed.error.reason}`, 'mend tgt or tgt_type');
}

/** @returns The target with the event's values in it; the sentence when one of them is more than ids. */
export function targetOf(
  written: Value,
  filled: Value,
  isId: (text: string) => boolean,
): Result<string | readonly string[], string> {
  const list = isList(filled) ? filled : [filled];
  const texts = list.filter((one) => typeof one === 'string');
  if (texts.length !== list.length || texts.length === 0) return err('the target of the event is no text');
  const found = placeholdersIn(written);
  if (found.ok && found.value.length > 0 && !texts.every(isId)) {
    return err('the event names more than minions by their ids as the target');
  }
  return ok(isList(filled) ? texts : (texts[0] ?? ''));
}
