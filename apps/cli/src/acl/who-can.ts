/** `natriumctl acl who-can FUNCTION TARGET [ARGS]`: every key that may, and every minion of the inventory. Exit 0 somebody, 1 nobody. */
import { type Allowed, type AllowedMinions, showCaller, showPath, whoCan } from '@natrium/policy-tools';
import { EXIT } from '../common/exit-codes.js';
import type { AclCommand } from './acl-command.js';
import { chosenFleet } from './load-fleet.js';
import { chosenPolicy, type LoadedPolicy, showRule } from './load-policy.js';
import { askedIn, showAsked } from './request-words.js';
import { showArgument, print, printJson, showIds } from './show-value.js';

const NOT_COMPARED =
  'on which minions each rule permits it was not looked at; name an inventory (--inventory FILE), or a minion that is in it';

export async function runWhoCan(command: AclCommand): Promise<number> {
  const { words, options, io } = command;
  const asked = askedIn(options, words);
  const loaded = chosenPolicy(options, io);
  if (loaded === undefined) return EXIT.usage;
  const fleet = await chosenFleet(command, [loaded.view], asked.target);
  const { holders, minions, unknown, nobody } = whoCan({ view: loaded.view, fleet }, asked);
  // Minions of the inventory are told one by one, so their keys only when there is none.
  const keys = fleet.from === 'given' ? holders.filter(({ caller }) => caller.principal.kind !== 'minion') : holders;
  const callers = fleet.from === 'given' ? minions : [];
  if (options.flag('json')) printJson({ ...toJson(loaded, keys, callers), nobody: nobody ?? null }, io);
  else {
    print(
      [
        `${showAsked(asked)}:`,
        ...keys.map((one) => holderLine(loaded, one)),
        ...callers.map((one) => minionLine(loaded, one)),
      ],
      io,
    );
    print(
      unknown.map(
        ({ path }) =>
          `  ?  ${showRule(loaded, path)}: no name that this key matches was found, so nothing is said of it`,
      ),
      io,
    );
    if (keys.length + callers.length === 0) print(['  nobody'], io);
    if (nobody !== undefined) print([`  ?  ${nobody}: ${NOT_COMPARED}`], io);
  }
  return keys.length + callers.length > 0 ? EXIT.ok : EXIT.failed;
}

function holderLine(loaded: LoadedPolicy, { holder, caller, granted, args }: Allowed): string {
  const [rule] = granted.rules;
  const exact = holder.key === caller.principal.name;
  const as = exact || holder.section === 'external_auth' ? '' : `, as every name that '${holder.key}' matches`;
  const only = args === undefined ? '' : `, with arguments such as ${args.map(showArgument).join(' ')}`;
  return `  ${showCaller(caller)}${as}${only}: ${showRule(loaded, rule?.path ?? holder.path)}`;
}

function minionLine(loaded: LoadedPolicy, { path, ids }: AllowedMinions): string {
  return `  minion ${showIds(ids)}: ${showRule(loaded, path)}`;
}

function toJson({ place }: LoadedPolicy, holders: readonly Allowed[], minions: readonly AllowedMinions[]): object {
  return {
    holders: holders.map(({ holder, caller, granted, args }) => ({
      key: showPath(holder.path),
      caller: showCaller(caller),
      rules: granted.rules.map(({ path }) => ({ place: place(path), path: showPath(path) })),
      ...(args === undefined ? {} : { arguments: args.map(showArgument) }),
    })),
    minions: minions.map(({ path, ids }) => ({ ids, rule: { place: place(path), path: showPath(path) } })),
  };
}
