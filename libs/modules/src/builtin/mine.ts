/**
 * `mine.*`: what this minion keeps on the master for others to read, and what others keep there.
 *
 * Reading is by the master's leave alone: `allow_tgt` of what is kept says which minions may. A job can have run here only
 * what the configuration names or a built-in function that merely looks (`LOOKS`): who may call `mine.send` could else run
 * anything.
 */
import { isList, isMap, pyStr, type Value, type ValueMap, withoutMark } from '@natrium/model';
import { isDeepStrictEqual } from 'node:util';
import type { CallContext } from '../call-context.js';
import { defineModule, type Library, type Returned } from '../loader/declaration.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { reply } from '../loader/reply.js';
import type { MineAnswer, MineItem, MinePort } from '../mine-port.js';
import { fn } from '../minion-registry.js';
import { definitionOf, type MineDefinition, mineDefinitions } from './mine-definitions.js';

const LOOKS =
  /^(disk|status|test)\.|^network\.(?!ping$)|^ps\.(get_pid_list|pgrep|proc_info|num_cpus|boot_time|virtual_memory|swap_memory|total_physical_memory)$|^grains\.(get|items?|ls|keys)$|^pkg\.(version|list_pkgs)$|^service\.(get_all|status|enabled|available)$/;
/** These ask the master themselves. */
const NEVER = /^(mine|publish)\./;
const FUN = { name: 'fun', type: 'str', doc: 'Function, or the name under which it is kept.' } as const;

export const mineModule = defineModule('mine', {
  get: fn(
    {
      doc: 'Reads what other minions keep in the mine, as far as they allow it.',
      params: [
        { name: 'tgt', type: 'any', doc: 'Of which minions.' },
        { name: 'fun', type: 'any', doc: 'Functions or names, with commas or as a list.' },
        { name: 'tgt_type', type: 'str', default: 'glob' },
        { name: 'exclude_minion', type: 'bool', default: false, doc: 'Leave out this minion itself.' },
      ],
      returns: 'a map by minion; of several functions a map by function, without those that nobody keeps',
      examples: ["mine.get '*' network.ip_addrs", "mine.get 'os:Debian' network.ip_addrs tgt_type=grain"],
    },
    async ({ tgt, fun, tgt_type: tgtType, exclude_minion: exclude }, context) => {
      const several = isList(fun) || pyStr(fun).includes(',');
      const names = (isList(fun) ? fun.map(pyStr) : pyStr(fun).split(',')).map((name) => name.trim());
      const answer = await portOf(context).read({ names, tgt, tgtType });
      if (!answer.ok) return refused(answer);
      const found = isMap(answer.value) ? answer.value : {};
      const all = names.map((name) => [name, without(found[name] ?? {}, exclude ? context.id : undefined)] as const);
      // As Salt: of several, those that nobody keeps are left out.
      return several
        ? Object.fromEntries(all.filter(([, items]) => Object.keys(items).length > 0))
        : (all[0]?.[1] ?? {});
    },
  ),
  update: fn(
    {
      doc: 'Runs mine_functions now and keeps what they return.',
      params: [
        { name: 'clear', type: 'bool', default: false, doc: 'Everything else in this minion’s mine goes.' },
        { name: 'mine_functions', type: 'any', default: null, doc: 'Instead of those of the configuration.' },
      ],
      returns: 'true when the master keeps them',
      examples: ['mine.update', 'mine.update clear=True'],
    },
    ({ clear, mine_functions: given }, context, library) => {
      const all = given === null ? configured(context) : mineDefinitions(given);
      for (const one of all) mayRun(one, context, library);
      return kept(all, clear, context);
    },
  ),
  send: fn(
    {
      doc: 'Runs one function now and keeps what it returns. From a job: one that mine_functions has so, or one that only looks.',
      params: [
        { name: 'name', type: 'str', doc: 'Function, or the name under which it is kept.' },
        { rest: 'args' },
        { kwargs: 'kwargs', doc: 'Arguments of the function; mine_function, allow_tgt and allow_tgt_type.' },
      ],
      returns: 'true when the master keeps it',
      examples: ['mine.send network.ip_addrs eth0', "mine.send eth0 mine_function=network.ip_addrs allow_tgt='web*'"],
    },
    ({ name, args, kwargs }, context, library) => {
      const own = Object.fromEntries(Object.entries(kwargs).filter(([key]) => !key.startsWith('__pub_')));
      const wanted = definitionOf(name, [...args, own]);
      mayRun(wanted, context, library);
      return kept([wanted], false, context);
    },
  ),
  delete: fn(
    {
      doc: 'Takes one function’s result out of this minion’s mine.',
      params: [FUN],
      returns: 'true',
      examples: ['mine.delete network.ip_addrs'],
    },
    async ({ fun }, context) => done(await portOf(context).drop([fun])),
  ),
  flush: fn({ doc: 'Empties this minion’s mine.', returns: 'true', examples: ['mine.flush'] }, async (_, context) =>
    done(await portOf(context).keep([], true)),
  ),
  valid: fn(
    {
      doc: 'What mine_functions names and this minion can run.',
      returns: 'a map from the function to its arguments; from another name to a map of that kind',
      examples: ['mine.valid'],
    },
    (_, context, library) =>
      Object.fromEntries(
        configured(context)
          .filter(({ fun }) => library.params(fun) !== undefined)
          .map(({ name, fun, args }) => [name, name === fun ? args.map(shown) : { [fun]: args.map(shown) }]),
      ),
  ),
});

function portOf({ mine }: CallContext): MinePort {
  if (mine === undefined) throw new ExecutionError('there is no connection to a master');
  return mine;
}

function configured(context: CallContext): readonly MineDefinition[] {
  return mineDefinitions(portOf(context).functions());
}

async function kept(all: readonly MineDefinition[], replace: boolean, context: CallContext): Promise<Returned> {
  const port = portOf(context);
  const items: MineItem[] = [];
  const notes: string[] = [];
  for (const { name, fun, args, allowTgt, allowTgtType } of all) {
    const { ret, success } = await port.run(fun, args, context);
    if (success) items.push({ name, value: ret, allowTgt, allowTgtType });
    else notes.push(`${name} was not kept: ${pyStr(ret)}`);
  }
  const answer = items.length > 0 || replace ? await port.keep(items, replace) : ({ ok: true, value: true } as const);
  if (!answer.ok) return refused(answer);
  return notes.length === 0 ? true : reply(notes.join('\n'), { retcode: 1, notes });
}

/** @throws {InvocationError} */
function mayRun({ name, fun, args }: MineDefinition, context: CallContext, library: Library): void {
  if (NEVER.test(fun)) throw new InvocationError(`${fun} cannot be kept in a mine`);
  if (context.caller === undefined || (LOOKS.test(fun) && !library.isOwn(fun))) return;
  const same = configured(context).find((one) => one.name === name);
  if (same?.fun === fun && isDeepStrictEqual(same.args, args)) return;
  throw new InvocationError(
    `${fun} is not in mine_functions of this minion with these arguments, so a job cannot have it run here`,
  );
}

function without(items: Value, id: string | undefined): ValueMap {
  if (!isMap(items)) return {};
  return Object.fromEntries(Object.entries(items).filter(([minion]) => minion !== id));
}

function done(answer: MineAnswer): Returned {
  return answer.ok ? true : refused(answer);
}

function refused(answer: MineAnswer & { readonly ok: false }): Returned {
  return reply(answer.refusal.sentence, { retcode: 1, refusal: answer.refusal });
}

function shown(arg: Value): Value {
  return isMap(arg) ? withoutMark(arg) : arg;
}
