/**
 * Whose lists count: the one place that leads from a principal to access lists. Each kind reads its own section only, so no rule for
 * one kind ever matches another.
 *
 * Spec: spec/acl.md#principals.
 */
import { ok, type Refusal, refuse, type Result } from '@natrium/model';
import { listsOfAccount } from './account.js';
import type { Ask, LoginInfo } from './ask.js';
import { compileList } from './compile-list.js';
import { listsOfLogin } from './external.js';
import type { AccessList, CallerRule, Policy, RuleRef } from './policy.js';
import { ProblemList } from './problem-list.js';
import type { TargetMemo } from './target-memo.js';

/** Either full access, with the place that gives it, or lists. */
export type Access = { readonly full: RuleRef } | { readonly lists: readonly AccessList[] };

export function accessOf(policy: Policy, ask: Ask, memo: TargetMemo | undefined): Result<Access, Refusal> {
  const { kind, name } = ask.principal;
  switch (kind) {
    case 'minion':
      return ok({
        lists: callerLists(ask.what === 'job' ? policy.peer : policy.peerRun, `${ask.what} minion ${name}`, name, memo),
      });
    case 'runner':
      return ok({ lists: callerLists(policy.runnerGrants, `runner ${name}`, name, memo) });
    case 'reactor':
      return ok({ lists: callerLists(policy.reactorGrants, `reactor ${name}`, name, memo) });
    case 'account':
      return accountAccess(policy, ask, memo);
    case 'external':
    case 'token':
      return ask.login === undefined
        ? refuse('bad_credential', 'the login was not proved')
        : loginAccess(policy, name, ask.login);
  }
}

function callerLists(
  rules: readonly CallerRule[],
  key: string,
  name: string,
  memo: TargetMemo | undefined,
): readonly AccessList[] {
  const find = (): readonly AccessList[] =>
    rules.filter(({ callers }) => callers?.test(name) === true).map(({ list }) => list);
  return memo === undefined ? find() : memo.lists(key, find);
}

const FULL: Access = { full: { path: ['user'] } };

/** A list that a higher master forwards stands in the place of the account's own, for what is published. */
function accountAccess(policy: Policy, ask: Ask, memo: TargetMemo | undefined): Result<Access, Refusal> {
  const { account, forwarded, what } = ask;
  if (account === undefined) return refuse('bad_credential', 'the account was not proved');
  const own = ownAccess(policy, account, memo);
  if (!own.ok || what !== 'job' || !account.byMasterKey || forwarded === undefined) return own;
  return ok(forwarded.length === 0 ? FULL : { lists: [compileOwn(policy, forwarded)] });
}

function ownAccess(
  policy: Policy,
  { listsOf }: Ask['account'] & object,
  memo: TargetMemo | undefined,
): Result<Access, Refusal> {
  if (listsOf === undefined) return ok(FULL);
  const find = (): readonly AccessList[] => listsOfAccount(policy, listsOf);
  const lists = memo === undefined ? find() : memo.lists(`account ${listsOf}`, find);
  if (lists.every(({ source }) => source.length === 0))
    return refuse('bad_credential', `account ${listsOf} has no access list`);
  return ok({ lists });
}

function loginAccess(policy: Policy, name: string, { backend, groups, ownList }: LoginInfo): Result<Access, Refusal> {
  const keys = policy.external.get(backend);
  if (keys === undefined) return refuse('bad_credential', `the backend ${backend.slice(0, 80)} is not configured`);
  if (ownList !== undefined) return ok({ lists: [compileOwn(policy, ownList)] });
  return ok({ lists: listsOfLogin(keys, { name, groups }, policy.settings.permissiveAcl) });
}

/** A list from outside of the file: its malformed parts grant nothing, and there is no start to stop. */
function compileOwn(policy: Policy, source: Ask['forwarded'] & object): AccessList {
  return compileList(source, [], { nodegroups: policy.nodegroups, problems: new ProblemList() });
}
