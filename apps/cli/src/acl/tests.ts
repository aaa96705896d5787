/** `natriumctl acl test FILE`: policy tests, as TAP. Exit 0 all passed, 1 one failed, 2 the file or the policy cannot be read. */
import { dirname, resolve, relative } from 'node:path';
import { loadYaml } from '@natrium/args';
import {
  type Fleet,
  readFleet,
  readPolicyTests,
  runPolicyTest,
  showPath,
  type TestFile,
  type TestOutcome,
} from '@natrium/policy-tools';
import { EXIT } from '../common/exit-codes.js';
import { UsageError } from '../common/options.js';
import { say } from '../common/refused.js';
import { textOf } from '../common/text-of.js';
import type { AclCommand } from './acl-command.js';
import { chosenFleet, fleetIn } from './load-fleet.js';
import { chosenPolicy, type LoadedPolicy, showRule } from './load-policy.js';
import { print, printJson } from './show-value.js';

export async function runTests(command: AclCommand): Promise<number> {
  const { words, options, io } = command;
  const [file, ...more] = words;
  if (file === undefined || more.length > 0) throw new UsageError('name one file of policy tests');
  const text = textOf(file);
  const loaded = text.ok ? loadYaml(text.value, file) : text;
  if (!loaded.ok) {
    say(
      typeof loaded.error === 'string'
        ? `${file}: ${loaded.error}`
        : `${file}:${loaded.error.line ?? 1}: ${loaded.error.reason}`,
      io,
    );
    return EXIT.usage;
  }
  const { value, locate } = loaded.value;
  const tests = readPolicyTests(value);
  for (const { path, reason } of tests.problems) say(`${file}:${locate(path).line}: ${showPath(path)}: ${reason}`, io);
  const policy = chosenPolicy(options, io, options.text('policy') ?? beside(file, tests.policy));
  if (tests.problems.length > 0 || policy === undefined) return EXIT.usage;
  const scene = { view: policy.view, fleet: await fleetFor(command, file, tests, policy) };
  const outcomes = tests.tests.map((test) => runPolicyTest(scene, test));
  const at = ({ test }: TestOutcome): string => `${file}:${locate(test.path).line}`;
  if (options.flag('json'))
    printJson(
      outcomes.map((one) => ({
        title: one.title,
        at: at(one),
        ok: one.failure === undefined,
        failure: one.failure ?? null,
      })),
      io,
    );
  else print(tap(outcomes, policy, at), io);
  return outcomes.some(({ failure }) => failure !== undefined) ? EXIT.failed : EXIT.ok;
}

function beside(file: string, named: string | undefined): string | undefined {
  return named === undefined ? undefined : relative('', resolve(dirname(file), named)) || '.';
}

/** The command line's inventory, else the file's own, else as for every command. */
async function fleetFor(
  command: AclCommand,
  file: string,
  { inventory }: TestFile,
  { view }: LoadedPolicy,
): Promise<Fleet> {
  if (command.options.given('inventory') || inventory === undefined) return chosenFleet(command, [view]);
  if (typeof inventory === 'string') return fleetIn(resolve(dirname(file), inventory));
  const fleet = readFleet(inventory);
  if (!fleet.ok) throw new UsageError(`${file}: ${fleet.error}`);
  return fleet.value;
}

function tap(
  outcomes: readonly TestOutcome[],
  policy: LoadedPolicy,
  at: (outcome: TestOutcome) => string,
): readonly string[] {
  const failed = outcomes.filter(({ failure }) => failure !== undefined).length;
  return [
    'TAP version 13',
    `1..${outcomes.length}`,
    ...outcomes.flatMap((one, index) => testLines(one, index + 1, policy, at(one))),
    `# ${outcomes.length - failed} passed, ${failed} failed`,
  ];
}

function testLines(
  { title, failure, verdict }: TestOutcome,
  number: number,
  policy: LoadedPolicy,
  at: string,
): readonly string[] {
  if (failure === undefined) return [`ok ${number} - ${title}`];
  const rule = verdict?.allow === true ? verdict.rules[0]?.path : verdict?.rule?.path;
  return [
    `not ok ${number} - ${title}`,
    '  ---',
    `  at: ${at}`,
    `  reason: ${JSON.stringify(failure)}`,
    ...(rule === undefined ? [] : [`  rule: ${showRule(policy, rule)}`]),
    '  ...',
  ];
}
