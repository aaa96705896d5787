/** The registry as a minion has it: Salt's texts for minions, and `__pub_…` for functions that take any named argument. */
import { funArgs, type Value, type ValueMap } from '@natrium/model';
import type { CallContext } from './call-context.js';
import { declaringFor, type Module } from './loader/declaration.js';
import { type Dialect, minionThrown, minionWrongArguments } from './loader/dialect.js';
import { Registry } from './loader/registry.js';

/** Declares a function of an execution module. */
export const fn = declaringFor<CallContext>();

export type ExecutionModule = Module<CallContext>;

const MINION_DIALECT: Dialect<CallContext> = {
  program: "natrium '*'",
  wrongArguments: minionWrongArguments,
  thrown: minionThrown,
  furtherArguments: publishedArguments,
};

export function minionRegistry(modules: readonly ExecutionModule[]): Registry<CallContext> {
  return new Registry(modules, MINION_DIALECT);
}

/**
 * What a job says of itself, as Salt names it. `__pub_id` is there only when another minion asked, `__pub_user` only for
 * people: the name of one kind of caller must never pass for another's.
 */
function publishedArguments(fun: string, sent: readonly Value[], context: CallContext): ValueMap {
  const { job, caller, jid } = context;
  if (job === undefined) return { __pub_fun: fun, __pub_jid: jid };
  const who: ValueMap = caller?.kind === 'minion' ? { __pub_id: caller.name } : {};
  const user: ValueMap = caller !== undefined && isPerson(caller.kind) ? { __pub_user: caller.name } : {};
  const target = { __pub_tgt: job.tgt, __pub_tgt_type: job.tgtType, __pub_ret: job.ret };
  return { __pub_fun: fun, __pub_arg: funArgs(sent), __pub_jid: jid, ...target, ...who, ...user };
}

export function isPerson(kind: string): boolean {
  return kind === 'account' || kind === 'external' || kind === 'token';
}
