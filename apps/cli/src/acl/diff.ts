/** `natriumctl acl diff OLD NEW [--audit FILE]`: only what changes. Exit 0; with `--strict` 1 when anything does. */
import {
  type Change,
  diffPolicies,
  diffRecorded,
  type RecordedChange,
  showCaller,
  showPath,
} from '@natrium/policy-tools';
import { EXIT } from '../common/exit-codes.js';
import { UsageError } from '../common/options.js';
import { plural } from '../common/plural.js';
import type { AclCommand } from './acl-command.js';
import { chosenFleet } from './load-fleet.js';
import { chosenPolicy, type LoadedPolicy, showRule } from './load-policy.js';
import { recordsIn } from './read-records.js';
import { showAsked } from './request-words.js';
import { print, printJson, showIds } from './show-value.js';

interface Both {
  readonly old: LoadedPolicy;
  readonly next: LoadedPolicy;
}

export async function runDiff(command: AclCommand): Promise<number> {
  const { words, options, io } = command;
  const [before, after, ...more] = words;
  if (before === undefined || after === undefined || more.length > 0)
    throw new UsageError('name two policies: OLD NEW');
  const [old, next] = [chosenPolicy(options, io, before), chosenPolicy(options, io, after)];
  if (old === undefined || next === undefined) return EXIT.usage;
  const fleet = await chosenFleet(command, [old.view, next.view]);
  const policies = { old: old.view, next: next.view, fleet };
  const changes = diffPolicies(policies);
  const records = options.text('audit');
  const recorded = records === undefined ? undefined : diffRecorded(policies, recordsIn(records));
  if (options.flag('json')) printJson(toJson({ old, next }, changes, recorded), io);
  else print([...report({ old, next }, changes), ...recordedReport(recorded)], io);
  const changed = changes.length + (recorded?.length ?? 0) > 0;
  return changed && options.flag('strict') ? EXIT.failed : EXIT.ok;
}

function report(both: Both, changes: readonly Change[]): readonly string[] {
  if (changes.length === 0) return ['nothing changes'];
  const count = (word: Change['becomes']): number => changes.filter(({ becomes }) => becomes === word).length;
  return [
    ...grouped(changes).map((alike) => changeLine(both, alike)),
    `${count('allowed')} newly allowed (+), ${count('refused')} newly refused (-)`,
  ];
}

/** Requests of one caller that change alike, on the same minions, by the same rule. */
function grouped(changes: readonly Change[]): readonly (readonly [Change, ...Change[]])[] {
  const found = new Map<string, [Change, ...Change[]]>();
  for (const change of changes) {
    const { caller, asked, becomes, on, isTarget, rule } = change;
    const key = JSON.stringify([showCaller(caller), asked.what, becomes, on, isTarget, rule]);
    const known = found.get(key);
    if (known === undefined) found.set(key, [change]);
    else known.push(change);
  }
  return [...found.values()];
}

function changeLine({ old, next }: Both, changes: readonly [Change, ...Change[]]): string {
  const { caller, alike, asked, becomes, on, isTarget, rule } = changes[0];
  const who = alike.length > 1 ? `minions ${showIds(alike)}` : showCaller(caller);
  const requests = changes.map(({ asked: { target: _target, ...request } }) => showAsked(request)).join(', ');
  const whom = asked.what !== 'job' ? '' : isTarget ? ` on '${on.join(',')}' as a whole` : ` on ${showIds(on)}`;
  const where = rule === undefined ? '' : `  (${showRule(becomes === 'allowed' ? next : old, rule)})`;
  return `${becomes === 'allowed' ? '+' : '-'} ${who}: ${requests}${whom}${where}`;
}

function recordedReport(recorded: readonly RecordedChange[] | undefined): readonly string[] {
  if (recorded === undefined) return [];
  if (recorded.length === 0) return ['of the recorded requests none changes'];
  return [
    'recorded requests that change:',
    ...recorded.map(
      ({ caller, asked, becomes, count }) =>
        `${becomes === 'allowed' ? '+' : '-'} ${showCaller(caller)}: ${showAsked(asked)}  (${plural(count, 'time')})`,
    ),
  ];
}

function toJson(
  { old, next }: Both,
  changes: readonly Change[],
  recorded: readonly RecordedChange[] | undefined,
): unknown {
  return {
    changes: changes.map(({ caller, alike, asked, becomes, on, isTarget, rule }) => ({
      becomes,
      caller: showCaller(caller),
      alike,
      what: asked.what,
      functions: asked.funs,
      arguments: asked.args,
      ...(isTarget ? { target: on.join(',') } : { minions: on }),
      rule:
        rule === undefined ? null : { place: (becomes === 'allowed' ? next : old).place(rule), path: showPath(rule) },
    })),
    ...(recorded === undefined
      ? {}
      : {
          recorded: recorded.map(({ caller, asked, becomes, count }) => ({
            becomes,
            caller: showCaller(caller),
            request: showAsked(asked),
            count,
          })),
        }),
  };
}
