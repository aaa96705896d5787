/** `natriumctl acl explain CALLER FUNCTION TARGET [ARGS]`, also `can-i`. Exit 0 allowed, 13 refused. */
import type { Allowed, Decision } from '@natrium/acl';
import { type Caller, judge, type Miss, nearestMisses, readCaller, showCaller, showPath } from '@natrium/policy-tools';
import { EXIT } from '../common/exit-codes.js';
import { UsageError } from '../common/options.js';
import type { AclCommand } from './acl-command.js';
import { chosenFleet } from './load-fleet.js';
import { chosenPolicy, type LoadedPolicy, showRule } from './load-policy.js';
import { askedIn, showAsked } from './request-words.js';
import { print, printJson, showIds } from './show-value.js';

export async function runExplain(command: AclCommand): Promise<number> {
  const { words, options, io } = command;
  const [who, ...rest] = words;
  if (who === undefined) throw new UsageError('name a caller: minion:web1, account:fred, external:pam/joe');
  const asked = askedIn(options, rest);
  const loaded = chosenPolicy(options, io);
  if (loaded === undefined) return EXIT.usage;
  const scene = { view: loaded.view, fleet: await chosenFleet(command, [loaded.view], asked.target) };
  const caller = readCaller(who, scene.view, scene.fleet, options.list('groups'));
  if (!caller.ok) throw new UsageError(caller.error);
  const verdict = judge(scene, caller.value, asked);
  const misses = verdict.allow ? [] : nearestMisses(scene, caller.value, asked, verdict);
  if (options.flag('json')) printJson(toJson(loaded, verdict, misses), io);
  else
    print(
      verdict.allow ? allowed(loaded, caller.value, asked, verdict) : refused(loaded, verdict.refusal.sentence, misses),
      io,
    );
  return verdict.allow ? EXIT.ok : EXIT.denied;
}

function allowed(
  loaded: LoadedPolicy,
  caller: Caller,
  asked: Parameters<typeof showAsked>[0],
  { rules, minions, missing, nobody }: Allowed,
): readonly string[] {
  const whom = nobody === undefined ? showIds(minions) : `nobody: ${nobody}, so that nothing would be sent`;
  return [
    `allowed: ${showCaller(caller)} may run ${showAsked(asked)}`,
    ...rules.map(
      ({ path }, at) => `  rule     ${showRule(loaded, path)}${rules.length > 1 ? ` (${asked.funs[at] ?? ''})` : ''}`,
    ),
    ...(asked.target === undefined ? [] : [`  minions  ${whom}`]),
    ...(missing.length === 0 ? [] : [`  missing  ${showIds(missing)}`]),
  ];
}

function refused(loaded: LoadedPolicy, sentence: string, misses: readonly Miss[]): readonly string[] {
  return [
    `refused: ${sentence}`,
    ...misses.map(
      ({ path, sentence: near }) => `  nearest  ${path === undefined ? '' : `${showRule(loaded, path)}: `}${near}`,
    ),
  ];
}

function toJson({ place }: LoadedPolicy, verdict: Decision, misses: readonly Miss[]): unknown {
  const ruleOf = (path: Miss['path']) => (path === undefined ? null : { place: place(path), path: showPath(path) });
  if (!verdict.allow) {
    const { code, sentence } = verdict.refusal;
    return {
      allow: false,
      code,
      sentence,
      nearest: misses.map((miss) => ({ rule: ruleOf(miss.path), sentence: miss.sentence })),
    };
  }
  const { minions, missing, rules, nobody = null } = verdict;
  return { allow: true, rules: rules.map(({ path }) => ruleOf(path)), minions, missing, nobody };
}
