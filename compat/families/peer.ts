/**
 * Minions asking the master: `peer`, `peer_run`, `pub_ret`.
 *
 * Who asks is proved by a signature here, so a case whose token is not valid is an unknown caller and never reaches the policy.
 */
import { compilePolicy, type Decision, decide, mayReadJob } from '@natrium/acl';
import { parsePeerArguments, splitFunctions, wordsByFunction } from '@natrium/args';
import type { Inventory } from '@natrium/matchers';
import { parseMinionId, type Plain, pyStr, toPlain, type Value } from '@natrium/model';
import { type Case, mapOf, type PlainMap, textOf, textsOf, valueOf, valuesOf } from '../corpus.js';
import { DENY, type Family, policyConfigOf, targetOf } from './family.js';

const JOB_FIELDS = ['fun', 'arg', 'tgt', 'ret', 'tok', 'id'];
const RUN_FIELDS = ['fun', 'arg', 'id', 'tok'];

/** The caller that is proved; undefined for everyone else. */
function callerOf({ request }: Case, inventory: Inventory): string | undefined {
  const id = parseMinionId(request['id']);
  const isProved = (request['token'] ?? 'valid') === 'valid';
  return isProved && id !== undefined && inventory.accepted.has(id) ? id : undefined;
}

/** Nothing in the place of a list or of a text is not nothing: the original fails on it. */
function isComplete(one: Case, fields: readonly string[]): boolean {
  const omitted = new Set(textsOf(one.request['omit']));
  const { fun, arg = [] } = sent(one);
  return typeof fun === 'string' && Array.isArray(arg) && !fields.some((field) => omitted.has(field));
}

/** What came: a field that is left out says nothing, also one that need not be there (`tgt_type`, `no_parse`). */
function sent({ request }: Case): PlainMap {
  const omitted = new Set(textsOf(request['omit']));
  return Object.fromEntries(Object.entries(request).filter(([field]) => !omitted.has(field)));
}

/** Each function's arguments as they will be sent. */
function argumentsOf(request: PlainMap, funs: readonly string[]): readonly (readonly Value[])[] | undefined {
  const words = wordsByFunction(funs, valuesOf(request['arg']));
  return words?.map((own) => parsePeerArguments(own, textsOf(request['no_parse'])));
}

export const peer: Family = (one, inventory) => {
  const caller = callerOf(one, inventory);
  if (caller === undefined || !isComplete(one, JOB_FIELDS)) return DENY;
  const request = sent(one);
  if (typeof (request['tgt_type'] ?? '') !== 'string' || request['tgt_type'] === null) return DENY;
  const funs = splitFunctions(textOf(request['fun']));
  const args = argumentsOf(request, funs);
  if (args === undefined) return DENY;
  const { policy } = compilePolicy(policyConfigOf(one.config));
  const principal = { kind: 'minion', name: caller } as const;
  const decision = decide(policy, { principal, what: 'job', funs, args, target: targetOf(request) }, inventory);
  return answer(decision, () => ({ published: published(request, args) }));
};

function published(request: PlainMap, args: readonly (readonly Value[])[]): PlainMap {
  const { fun = null, tgt = null, tgt_type = 'glob', ret = '' } = request;
  const sent = args.length === 1 ? (args[0] ?? []) : args;
  return { fun, arg: toPlain(sent), tgt, tgt_type, ret };
}

function answer(decision: Decision, more: () => PlainMap): PlainMap {
  if (!decision.allow) return DENY;
  return { verdict: 'allow', minions: [...decision.minions], ...more() };
}

export const peerRun: Family = (one, inventory) => {
  const caller = callerOf(one, inventory);
  if (caller === undefined || !isComplete(one, RUN_FIELDS)) return DENY;
  const request = sent(one);
  const { policy } = compilePolicy(policyConfigOf(one.config));
  const fun = textOf(request['fun']);
  const args = parsePeerArguments(valuesOf(request['arg']), textsOf(request['no_parse']));
  const decision = decide(
    policy,
    { principal: { kind: 'minion', name: caller }, what: 'run', funs: [fun], args: [args] },
    inventory,
  );
  return answer(decision, () => ({ fun, arg: toPlain(args) }));
};

export const pubRet: Family = (one, inventory) => {
  const caller = callerOf(one, inventory);
  const omitted = textsOf(one.request['omit']).length > 0;
  const owner: Plain | undefined = mapOf(one.request['jobs'])[pyStr(valueOf(one.request['jid']))];
  const may = caller !== undefined && !omitted && mayReadJob(typeof owner === 'string' ? owner : undefined, caller);
  return may ? { verdict: 'allow' } : DENY;
};
