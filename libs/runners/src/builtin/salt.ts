/**
 * `salt.cmd`: an execution function on the runner's own host; `salt.execute`: one on minions.
 *
 * Diverges: Salt runs any function, as the master's user or as root on every minion. On the host only those that read, change nothing and
 * end soon: whoever may run runners shall not thereby hold the master's host. On minions what `runner_grants` says, which is nothing
 * where an operator has written nothing.
 */
import { isList, isMap, isTrue, joinArguments, pyStr, type Value, type ValueMap } from '@natrium/model';
import {
  defineModule,
  ExecutionError,
  InvocationError,
  type PublishAnswer,
  reply,
  type Reply,
  unanswered,
} from '@natrium/modules';
import { executionLibrary } from '../execution-library.js';
import { publishAsk } from '../publish-ask.js';
import { runner } from '../runner-registry.js';
import { withinAnswer } from '../within-answer.js';

const READING: ReadonlySet<string> = new Set([
  ...['arg', 'arg_clean', 'arg_repr', 'arg_type', 'echo', 'false', 'kwarg', 'none', 'ping', 'providers', 'true'].map(
    (name) => `test.${name}`,
  ),
  ...['version', 'versions', 'versions_information', 'versions_report'].map((name) => `test.${name}`),
  ...['equals', 'get', 'has_value', 'item', 'items', 'keys', 'ls'].map((name) => `grains.${name}`),
  ...['argspec', 'doc', 'list_functions', 'list_modules'].map((name) => `sys.${name}`),
]);

export const saltModule = defineModule('salt', {
  cmd: runner(
    {
      doc: "Runs an execution function on the runner's own host: only test, grains and sys functions that read.",
      params: [
        { name: 'fun', type: 'str', doc: 'The execution function.' },
        { rest: 'args', doc: 'Its arguments.' },
        {
          name: 'with_pillar',
          type: 'bool',
          default: false,
          keyword: true,
          doc: 'Not needed: nothing that it runs reads pillar.',
        },
        { kwargs: 'kwargs', doc: 'Its named arguments.' },
      ],
      returns: 'what the function returns',
      examples: ['salt.cmd test.ping', 'salt.cmd grains.get os'],
    },
    async ({ fun, args, kwargs }, { host, caller, jid, signal }) => {
      if (!READING.has(fun)) {
        throw new ExecutionError(`salt.cmd does not run ${fun}: on the master's host only ${[...READING].join(', ')}`);
      }
      const context = { id: host.id, jid, grains: host.grains, config: host.config, caller, signal };
      const { ret, retcode, out } = await executionLibrary.execute(
        fun,
        joinArguments({ positional: args, named: kwargs }),
        context,
      );
      return reply(ret, { retcode, ...(out === undefined ? {} : { out }) });
    },
  ),
  execute: runner(
    {
      doc: 'Runs an execution function on minions, as far as runner_grants lets salt.execute: without a rule for it, none.',
      params: [
        { name: 'tgt', type: 'any', doc: 'Which minions: a target, or a list of ids.' },
        { name: 'fun', type: 'str', doc: 'The execution function.' },
        {
          name: 'arg',
          type: 'any',
          default: null,
          doc: 'Its arguments, as a list; what is none is the only argument.',
        },
        { name: 'timeout', type: 'any', default: null, doc: 'Seconds; None: as the master is set.' },
        { name: 'tgt_type', type: 'str', default: 'glob', doc: 'How to read the target.' },
        { name: 'ret', type: 'str', default: '', doc: 'Returner that each minion uses.' },
        { name: 'jid', type: 'str', default: '', doc: 'Refused: nobody chooses under which id a job is kept.' },
        { name: 'kwarg', type: 'any', default: null, doc: 'Its named arguments, as a map.' },
      ],
      returns: 'a map by minion; the run has failed where one has not returned, or has failed',
      examples: ["salt.execute 'web*' test.ping", "salt.execute '*' pkg.version '[bash]' tgt_type=glob"],
    },
    async ({ tgt, fun, arg, timeout, tgt_type: tgtType, ret: returner, jid, kwarg }, { master, host }) => {
      if (jid !== '') throw new InvocationError('nobody chooses under which id a job is kept: leave jid out');
      const asked = { tgt: isList(tgt) ? tgt.map(pyStr) : pyStr(tgt), fun, arg: argumentsOf(arg, kwarg), tgtType };
      const ask = publishAsk(asked, host);
      return executed(asked, await master.publish({ ...ask, returner, ...(isTrue(timeout) ? { timeout } : {}) }));
    },
  ),
});

/** @throws {InvocationError} When the named ones are no map. */
function argumentsOf(arg: Value, kwarg: Value): readonly Value[] {
  if (kwarg !== null && !isMap(kwarg)) throw new InvocationError(`kwarg is a map, not '${pyStr(kwarg)}'`);
  const positional = arg === null ? [] : isList(arg) ? arg : [arg];
  return joinArguments({ positional, named: kwarg ?? {} });
}

function executed({ fun, tgt }: { readonly fun: string; readonly tgt: Value }, answer: PublishAnswer): Reply {
  if (answer.type !== 'answered') return unanswered(fun, answer);
  const { returns, absent, missing = [] } = answer;
  const told = Object.entries(returns);
  if (told.length + absent.length === 0)
    return reply(`No minion matched ${pyStr(tgt)}: nothing was run.`, { retcode: 1 });
  const hasFailed = told.some(([, { retcode, success }]) => retcode !== 0 || success === false);
  const value: ValueMap = Object.fromEntries(told.map(([id, { ret }]) => [id, withinAnswer(ret, 1)]));
  return reply(value, { retcode: hasFailed || absent.length + missing.length > 0 ? 1 : 0 });
}
