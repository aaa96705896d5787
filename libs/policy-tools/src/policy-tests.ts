/**
 * Policy tests: who, what, whom, allowed or denied, as a file beside the policy. `who`, `what` and `whom` may be lists: then every
 * combination is a test.
 *
 * The format: docs/access-control.md#policy-tests.
 */
import type { Decision, RulePath } from '@natrium/acl';
import { isList, isMap, joinArguments, pyStr, type Value, type ValueMap, withoutMark } from '@natrium/model';
import { type Asked, judge, readCaller, type Scene, showCaller } from './caller.js';
import type { Fleet } from './fleet.js';

export interface PolicyTest {
  /** Where it stands in the file. */
  readonly path: RulePath;
  readonly name: string | undefined;
  readonly who: string;
  readonly groups: readonly string[];
  readonly asked: Asked;
  readonly allow: boolean;
  /** The ids that an allowed request must mean. */
  readonly minions: readonly string[] | undefined;
}

export interface TestFile {
  /** A file or folder of the policy, beside the test file. */
  readonly policy: string | undefined;
  /** An inventory, or the name of a file with one. */
  readonly inventory: Value | undefined;
  readonly tests: readonly PolicyTest[];
  readonly problems: readonly { readonly path: RulePath; readonly reason: string }[];
}

export interface TestOutcome {
  readonly test: PolicyTest;
  readonly title: string;
  /** Why it failed; undefined: it passed. */
  readonly failure: string | undefined;
  readonly verdict: Decision | undefined;
}

const FILE_KEYS = ['policy', 'inventory', 'tests'];
const TEST_KEYS = [
  'name',
  'who',
  'groups',
  'what',
  'run',
  'wheel',
  'args',
  'kwargs',
  'whom',
  'type',
  'delimiter',
  'expect',
  'minions',
];
const WORD = { allow: true, allowed: true, deny: false, denied: false } as const;

export function readPolicyTests(raw: Value): TestFile {
  const problems: { path: RulePath; reason: string }[] = [];
  const file = isMap(raw) ? raw : {};
  const add = (path: RulePath, reason: string): void => void problems.push({ path, reason });
  for (const key of Object.keys(file))
    if (!FILE_KEYS.includes(key)) add([key], `there is no key '${key}' here (there are ${FILE_KEYS.join(', ')})`);
  const { policy, inventory, tests } = file;
  if (policy !== undefined && typeof policy !== 'string') add(['policy'], 'policy names a file');
  if (!isList(tests) || tests.length === 0) add(['tests'], 'tests is a list of who, what, whom, expect');
  const read = (isList(tests) ? tests : []).flatMap((one, at) => readTests(one, ['tests', at], add));
  return { policy: typeof policy === 'string' ? policy : undefined, inventory, tests: read, problems };
}

type Add = (path: RulePath, reason: string) => void;

function readTests(raw: Value, path: RulePath, add: Add): readonly PolicyTest[] {
  if (!isMap(raw)) {
    add(path, 'a test is a mapping of who, what, whom, expect');
    return [];
  }
  const unknown = Object.keys(raw).filter((key) => !TEST_KEYS.includes(key));
  for (const key of unknown)
    add([...path, key], `there is no key '${key}' in a test (there are ${TEST_KEYS.join(', ')})`);
  const word = raw['expect'];
  const allow = typeof word === 'string' && Object.hasOwn(WORD, word) ? WORD[word as keyof typeof WORD] : undefined;
  if (allow === undefined) add([...path, 'expect'], 'expect is allow or deny');
  const whos = textsIn(raw, 'who', path, add);
  const asks = asksIn(raw, path, add);
  if (allow === undefined) return [];
  const { name } = raw;
  const common = {
    path,
    name: typeof name === 'string' ? name : undefined,
    groups: optionalTexts(raw, 'groups', path, add) ?? [],
    allow,
    minions: optionalTexts(raw, 'minions', path, add),
  };
  return whos.flatMap((who) => asks.map((asked) => ({ ...common, who, asked })));
}

function asksIn(raw: ValueMap, path: RulePath, add: Add): readonly Asked[] {
  const forms = (['what', 'run', 'wheel'] as const).filter((key) => Object.hasOwn(raw, key));
  const [form] = forms;
  if (form === undefined || forms.length > 1) {
    add(path, 'a test has one of what (a function on minions), run (a runner) and wheel');
    return [];
  }
  const args = argumentsIn(raw, path, add);
  const words = textsIn(raw, form, path, add);
  if (form !== 'what') return words.map((fun) => ({ what: form, funs: [fun], args: [args] }));
  const { type = 'glob', delimiter } = raw;
  if (typeof type !== 'string') add([...path, 'type'], 'type is a target type, as glob or grain');
  if (delimiter !== undefined && typeof delimiter !== 'string') add([...path, 'delimiter'], 'delimiter is text, as |');
  const targets = textsIn(raw, 'whom', path, add).map((tgt) => ({
    tgt,
    tgtType: typeof type === 'string' ? type : '',
    ...(typeof delimiter === 'string' ? { delimiter } : {}),
  }));
  return words.flatMap((word) => {
    const funs = word.split(',');
    return targets.map((target) => ({ what: 'job' as const, funs, args: funs.map(() => args), target }));
  });
}

function argumentsIn(raw: ValueMap, path: RulePath, add: Add): readonly Value[] {
  const { args = [], kwargs = {} } = raw;
  if (!isList(args)) add([...path, 'args'], 'args is a list');
  if (!isMap(kwargs)) add([...path, 'kwargs'], 'kwargs is a mapping');
  return joinArguments({ positional: isList(args) ? args : [], named: isMap(kwargs) ? kwargs : {} });
}

function textsIn(raw: ValueMap, key: string, path: RulePath, add: Add): readonly string[] {
  const texts = optionalTexts(raw, key, path, add);
  if (texts === undefined) add([...path, key], `${key} is missing`);
  return texts ?? [];
}

function optionalTexts(raw: ValueMap, key: string, path: RulePath, add: Add): readonly string[] | undefined {
  const value = raw[key];
  if (value === undefined) return undefined;
  const items = isList(value) ? value : [value];
  const texts = items.filter((item) => typeof item === 'string');
  if (texts.length !== items.length) add([...path, key], `${key} is text, or a list of texts`);
  return texts;
}

export function runPolicyTest(scene: Scene & { readonly fleet: Fleet }, test: PolicyTest): TestOutcome {
  const { asked, allow } = test;
  const caller = readCaller(test.who, scene.view, scene.fleet, test.groups);
  const title = test.name ?? titleOf(caller.ok ? showCaller(caller.value) : test.who, asked, allow);
  if (!caller.ok) return { test, title, failure: caller.error, verdict: undefined };
  const verdict = judge(scene, caller.value, asked);
  return { test, title, failure: failureOf(test, verdict), verdict };
}

function failureOf({ allow, minions }: PolicyTest, verdict: Decision): string | undefined {
  if (verdict.allow !== allow) return verdict.allow ? 'it is allowed' : `it is refused: ${verdict.refusal.sentence}`;
  if (!verdict.allow || minions === undefined) return undefined;
  const [got, wanted] = [[...verdict.minions].sort().join(', '), [...minions].sort().join(', ')];
  return got === wanted
    ? undefined
    : `it means ${got === '' ? 'nobody' : got}, not ${wanted === '' ? 'nobody' : wanted}`;
}

function titleOf(who: string, { what, funs, args, target }: Asked, allow: boolean): string {
  const side = what === 'job' ? '' : what === 'run' ? 'runner ' : 'wheel ';
  const pairs = (map: ValueMap) => Object.entries(withoutMark(map)).map(([key, value]) => `${key}=${pyStr(value)}`);
  const words = (args[0] ?? []).map((arg) => (isMap(arg) ? pairs(arg).join(' ') : pyStr(arg)));
  const whom =
    target === undefined
      ? ''
      : ` on ${typeof target.tgt === 'string' ? target.tgt : target.tgt.join(',')}${target.tgtType === 'glob' ? '' : ` (${target.tgtType})`}`;
  return `${who} ${allow ? 'may' : 'may not'} run ${[side + funs.join(','), ...words].join(' ')}${whom}`;
}
