/**
 * The one decision of this project: may this principal do this, there, with these arguments.
 *
 * The order: what a minion never may, the shape of the request, the blacklist, whose lists count, the target, and then every
 * function by itself. Whatever is malformed on the way refuses; nothing here is ever thrown at a caller.
 *
 * Spec: spec/acl.md#decision.
 */
import type { Inventory } from '@natrium/matchers';
import { MAX_FUN, MAX_FUNS, refusal, type Refusal, type RefusalCode, type Target } from '@natrium/model';
import type { Ask, Decision } from './ask.js';
import { deniedFunction, deniedUser } from './blacklist.js';
import { type Access, accessOf } from './caller-lists.js';
import { permitsJob } from './evaluate-entry.js';
import { peerTargetRefusal, recursionRefusal } from './peer.js';
import type { Policy, RuleRef } from './policy.js';
import { type RequestedTarget, requestTarget } from './requested-target.js';
import { describeAsk } from './sentences.js';
import { isModuleFunction, permitsSpec } from './specs.js';
import type { TargetMemo } from './target-memo.js';

const MAX_MEMO_KEY = 8192;
const FIND_JOB = 'saltutil.find_job';
const EVERYBODY: RuleRef = { path: ['built-in', FIND_JOB] };

/** Tells whether a decision's rule stands in no list: what it permits is open to every account and login. */
export function isForEverybody({ path }: RuleRef): boolean {
  return path[0] === EVERYBODY.path[0];
}

/** Decides one request. @param memo Only used when the inventory has a revision. */
export function decide(policy: Policy, ask: Ask, inventory: Inventory, memo?: TargetMemo): Decision {
  const { revision } = inventory;
  const usable = revision === undefined ? undefined : memo;
  if (revision !== undefined) memo?.open(policy, revision);
  const early = refusalBeforeLists(policy, ask);
  if (early !== undefined) return early;
  const access = accessOf(policy, ask, usable);
  if (!access.ok) return { allow: false, refusal: access.error };
  const { target } = ask;
  if (ask.what !== 'job') return decideRun(ask, access.value);
  if (target === undefined) return refuse(ask, 'bad_request', 'a job has a target');
  const requested = targetOf(policy, target, inventory, usable);
  const before = requested.tests;
  const minion = [ask.principal, ...(ask.onBehalfOf ?? [])].find(({ kind }) => kind === 'minion');
  const guard = minion === undefined ? undefined : peerTargetRefusal(policy, minion, ask, requested);
  if (guard !== undefined) return { allow: false, refusal: guard };
  const decision = decideJob(ask, access.value, requested);
  if (requested.tests > before) usable?.hold(requested.held);
  // Who may do everything anyway is not asked what it costs.
  return 'full' in access.value ? decision : { ...decision, tests: requested.tests - before };
}

function refusalBeforeLists(policy: Policy, ask: Ask): Decision | undefined {
  const { principal, what, funs } = ask;
  const recursion = principal.kind === 'minion' && what === 'job' ? recursionRefusal(principal, funs) : undefined;
  if (recursion !== undefined) return { allow: false, refusal: recursion };
  const shape = shapeRefusal(ask);
  if (shape !== undefined) return { allow: false, refusal: shape };
  return blacklistDecision(policy, ask);
}

function shapeRefusal(ask: Ask): Refusal | undefined {
  const { funs } = ask;
  // The name of a runner is looked at after the lists, as Salt does.
  const isLater = ask.what !== 'job' && ask.principal.kind !== 'minion';
  if (funs.length === 0 || (funs.includes('') && !isLater))
    return refusal('empty_function', `${describeAsk(ask)}: a function has no name`);
  const sound = funs.length <= MAX_FUNS && funs.every((fun) => fun.length <= MAX_FUN && !/[\p{Cc}\p{Cs}]/u.test(fun));
  if (!sound)
    return refusal('bad_request', `${describeAsk(ask)}: that is no name of a function, or there are too many`);
  if (ask.what === 'job') return undefined;
  if (ask.principal.kind === 'minion' && ask.what === 'wheel') return refusal('not_permitted', describeAsk(ask));
  return funs.length === 1 ? undefined : refusal('bad_request', `${describeAsk(ask)}: one function at a time`);
}

/** Tested before everything that is permitted, also by itself: an account is refused so even before its key is looked at. */
export function blacklistDecision(policy: Policy, ask: Ask): Decision | undefined {
  const { principal, what, funs } = ask;
  const { kind, name } = principal;
  const isUser = kind === 'account' || kind === 'external' || kind === 'token';
  // What runners and reactions publish passes the blacklist as everybody's does; what runs on the master is not theirs to ask.
  if (!isUser && what !== 'job') return undefined;
  const rule = (isUser ? deniedUser(policy, name) : undefined) ?? deniedFunction(policy, funs);
  return rule === undefined
    ? undefined
    : { allow: false, rule, refusal: refusal('blacklisted', `${describeAsk(ask)}: it is on the blacklist`) };
}

const NO_NAME = 'the name is not module.function';

function decideRun(ask: Ask, access: Access): Decision {
  const fun = ask.funs[0] ?? '';
  if ('full' in access) return fun === '' ? refuse(ask, 'bad_request', NO_NAME) : allow([access.full], undefined);
  const { lists } = access;
  const args = ask.args[0] ?? [];
  if (ask.principal.kind === 'minion') {
    const rule = permitsJob(lists, fun, args, () => true);
    return rule === undefined ? refuse(ask, 'not_permitted') : allow([rule], undefined);
  }
  const isEmpty = lists.every(({ source }) => source.length === 0);
  if (isEmpty) return refuse(ask, 'not_permitted');
  if (!isModuleFunction(fun)) return refuse(ask, 'bad_request', NO_NAME);
  const rule = permitsSpec(lists, { form: ask.what === 'run' ? 'runner' : 'wheel', fun, args });
  return rule === undefined ? refuse(ask, 'not_permitted') : allow([rule], undefined);
}

function decideJob(ask: Ask, access: Access, requested: RequestedTarget): Decision {
  if ('full' in access) {
    const { full } = access;
    return allow(
      ask.funs.map(() => full),
      requested,
    );
  }
  const rules: RuleRef[] = [];
  for (const [index, fun] of ask.funs.entries()) {
    const args = ask.args[index] ?? [];
    const rule = isAlwaysAllowed(ask, fun) ? EVERYBODY : permitsJob(access.lists, fun, args, requested.covers);
    if (rule === undefined) return refuse(ask, 'not_permitted', undefined, fun);
    rules.push(rule);
  }
  return allow(rules, requested);
}

/** Asking for the state of a job is open to every account and login, not to minions. */
export function isAlwaysAllowed({ principal }: Ask, fun: string): boolean {
  return (
    fun === FIND_JOB && (principal.kind === 'account' || principal.kind === 'external' || principal.kind === 'token')
  );
}

/** Whom it means is found out only when a rule covers the function: that is what costs. */
function targetOf(policy: Policy, target: Target, inventory: Inventory, memo: TargetMemo | undefined): RequestedTarget {
  const make = (): RequestedTarget => requestTarget(policy, target, inventory);
  if (memo === undefined || typeof target.tgt !== 'string' || target.tgt.length > MAX_MEMO_KEY) return make();
  // No part may reach into another: whoever is refused chooses them too.
  return memo.target(JSON.stringify([target.tgtType, target.delimiter ?? ':', target.tgt]), make);
}

function allow(rules: readonly RuleRef[], requested: RequestedTarget | undefined): Decision {
  const rule = rules[0] ?? EVERYBODY;
  if (requested === undefined) return { allow: true, minions: [], missing: [], rule, rules };
  const { minions, missing, problem } = requested;
  if (minions.length > 0) return { allow: true, minions, missing, rule, rules };
  const nobody = problem ?? 'no minion matches the target';
  return { allow: true, minions, missing, rule, rules, nobody, ...(problem === undefined ? {} : { defect: problem }) };
}

function refuse(ask: Ask, code: RefusalCode, reason?: string, fun?: string): Decision {
  const ending = reason === undefined ? ': no rule permits it' : `: ${reason}`;
  return { allow: false, refusal: refusal(code, describeAsk(ask, fun) + ending) };
}
