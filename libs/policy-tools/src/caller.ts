/**
 * Who asks, as a word of the operator, and the gate's own answer to them.
 *
 * `judge` does what the acl-service does with a proved caller, and no more: the account as its key proves it, then `decide`,
 * then a target that cannot be read is refused.
 *
 * Spec: spec/acl.md#decision.
 */
import {
  type AccountClaim,
  type Ask,
  authenticateAccount,
  BACK_ENDS,
  decide,
  type Decision,
  isBackEnd,
  type TargetMemo,
  unusableTarget,
} from '@natrium/acl';
import type { Inventory } from '@natrium/matchers';
import {
  err,
  nameOf,
  ok,
  parseMinionId,
  type Principal,
  PRINCIPAL_KINDS,
  type Refusal,
  refuse,
  type Result,
  type Target,
} from '@natrium/model';
import type { Fleet } from './fleet.js';
import { keyedLists, type PolicyView } from './policy-view.js';

export interface Caller {
  readonly principal: Principal;
  /** Of an external user. */
  readonly backend?: string;
  readonly groups?: readonly string[];
}

/** What is asked, whoever asks. */
export type Asked = Pick<Ask, 'what' | 'funs' | 'args' | 'target'>;

export interface Scene {
  readonly view: PolicyView;
  readonly fleet: Inventory;
  readonly memo?: TargetMemo;
}

export function judge({ view, fleet, memo }: Scene, caller: Caller, asked: Asked): Decision {
  const ask = askOf(view, caller, asked);
  if (!ask.ok) return { allow: false, refusal: ask.error };
  const decision = decide(view.policy, ask.value, fleet, memo);
  if (!decision.allow || decision.defect === undefined) return decision;
  return { allow: false, refusal: unusableTarget(asked.target ?? { tgt: '', tgtType: '' }, decision.defect) };
}

/** The request as it reaches `decide`; refused where the caller's own key would not prove the account. */
export function askOf(view: PolicyView, caller: Caller, { what, target, ...rest }: Asked): Result<Ask, Refusal> {
  const { principal, backend, groups = [] } = caller;
  const ask: Ask = {
    principal,
    what,
    ...rest,
    ...(target === undefined || what !== 'job' ? {} : targetOf(principal, target)),
  };
  if (principal.kind === 'external' || principal.kind === 'token') {
    if (backend === undefined) return ok(ask);
    if (!isBackEnd(backend))
      return refuse(
        'bad_credential',
        `there is no back end '${backend.slice(0, 80)}': there are ${BACK_ENDS.join(', ')}`,
      );
    return ok({ ...ask, login: { backend, groups } });
  }
  if (principal.kind !== 'account') return ok(ask);
  const account = authenticateAccount(view.policy, claimOf(view, principal.name));
  return account.ok ? ok({ ...ask, account: account.value }) : account;
}

/** A minion chooses no delimiter. */
function targetOf({ kind }: Principal, target: Target): Pick<Ask, 'target'> {
  return { target: kind === 'minion' ? { tgt: target.tgt, tgtType: target.tgtType } : target };
}

/** Root has the master's own key, also as `sudo_fred`; everybody else their own. */
function claimOf({ policy }: PolicyView, claimed: string): AccountClaim {
  const isRoot = claimed === 'root' || claimed.startsWith('sudo_');
  return { claimed, keyOf: isRoot ? policy.settings.masterAccount : claimed };
}

/** A caller as the command line and test files write it: `pam/joe` is said with its backend. */
export function showCaller({ principal, backend, groups = [] }: Caller): string {
  if (backend === undefined) return nameOf(principal);
  const member = groups.length === 0 ? '' : ` (${groups.join(', ')})`;
  return `${principal.kind} ${backend}/${principal.name}${member}`;
}

/** Reads `minion:web1`, `account:fred`, `external:pam/joe`, or a bare name of which only one kind exists. */
export function readCaller(
  word: string,
  view: PolicyView,
  fleet: Fleet,
  groups: readonly string[] = [],
): Result<Caller, string> {
  const [, prefix = '', name = ''] = /^([a-z]+):(.*)$/s.exec(word) ?? [];
  const kind = PRINCIPAL_KINDS.find((one) => one === prefix);
  if (kind === undefined) return bareName(word, view, fleet);
  if (name === '') return err(`'${word}' names nobody: write ${kind}:NAME`);
  if (kind === 'external' || kind === 'token') return externalCaller(kind, name, groups);
  if (kind === 'minion' && parseMinionId(name) === undefined) return err(`'${name}' is no valid minion id`);
  return ok({ principal: { kind, name } });
}

function externalCaller(kind: 'external' | 'token', word: string, groups: readonly string[]): Result<Caller, string> {
  const [, backend, name] = /^([^/]+)\/(.+)$/s.exec(word) ?? [];
  if (backend === undefined || name === undefined) return err(`write ${kind}:BACKEND/USER, as ${kind}:pam/joe`);
  return ok({ principal: { kind, name }, backend, groups });
}

function bareName(name: string, view: PolicyView, fleet: Fleet): Result<Caller, string> {
  const found: readonly Principal[] = [
    ...(isAccount(name, view) ? [{ kind: 'account', name } as const] : []),
    ...(isMinion(name, view, fleet) ? [{ kind: 'minion', name } as const] : []),
  ];
  const [first, second] = found;
  if (first === undefined)
    return err(`nobody known is called '${name}': write account:${name}, minion:${name} or external:BACKEND/${name}`);
  if (second === undefined) return ok({ principal: first });
  return err(`'${name}' is an account and a minion: write account:${name} or minion:${name}`);
}

function isAccount(name: string, { policy }: PolicyView): boolean {
  const { masterAccount } = policy.settings;
  return (
    name === masterAccount ||
    name === 'root' ||
    name.startsWith('sudo_') ||
    policy.publisher.some(({ users }) => users.test(name))
  );
}

/** Without an inventory a minion exists when a rule names its id. */
function isMinion(name: string, view: PolicyView, fleet: Fleet): boolean {
  if (fleet.accepted.has(name)) return true;
  if (fleet.from === 'given' || isAccount(name, view)) return false;
  return keyedLists(view).some(
    ({ section, names }) => (section === 'peer' || section === 'peer_run') && names?.(name) === true,
  );
}
