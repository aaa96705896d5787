/** Local accounts: `publisher_acl`. The order of the original: blacklist, then the key, then the lists. */
import { type Ask, authenticateAccount, blacklistDecision, compilePolicy, decide, keyHolders } from '@natrium/acl';
import { listOf, type PlainMap, textOf, textsOf, valuesOf } from '../corpus.js';
import { allowed, commandOf, deny } from './errors.js';
import { type Family, functionsOf, policyConfigOf, runArguments, targetOf } from './family.js';

/** The original ran as root when it was asked. */
const PROCESS_ACCOUNT = 'root';
const HOST_ACCOUNTS =
  'root daemon fred dave steve admin administrator manager_ops user_1 user_2 thatch bob Fred larry'.split(' ');

export const publisherAcl: Family = (one, inventory) => {
  const { request } = one;
  const { policy } = compilePolicy(policyConfigOf(one.config));
  const claimed = textOf(request['user']);
  const what = commandOf(request['command']);
  const base: Ask = { principal: { kind: 'account', name: claimed }, what, ...asked(request, what) };
  const denied = blacklistDecision(policy, base);
  if (denied !== undefined && !denied.allow) return deny(denied.refusal, what, 'user');
  const hostAccounts = request['system_users'] === undefined ? HOST_ACCOUNTS : textsOf(request['system_users']);
  const keyOf = request['key_of'] === undefined ? claimed : request['key_of'];
  const holders = keyHolders(policy, hostAccounts, PROCESS_ACCOUNT);
  const proof = typeof keyOf === 'string' && holders.has(keyOf) ? keyOf : null;
  const identity = authenticateAccount(policy, { claimed, keyOf: proof }, PROCESS_ACCOUNT);
  if (!identity.ok) return deny(identity.error, what, 'user');
  const { auth_list: list = null } = request;
  const forwarded = list === null ? {} : { forwarded: valuesOf(list) };
  const decision = decide(policy, { ...base, account: identity.value, ...forwarded }, inventory);
  if (!decision.allow) return deny(decision.refusal, what, 'user');
  // Runners and wheel functions that are asked for with sudo are recorded under the master's own account.
  const recorded = what !== 'job' && claimed.startsWith('sudo_') ? policy.settings.masterAccount : claimed;
  return allowed(decision, what, recorded, policy.settings.orderMasters);
};

function asked(request: PlainMap, what: Ask['what']): Pick<Ask, 'funs' | 'args' | 'target'> {
  if (what === 'job') return { ...functionsOf(request), target: targetOf(request) };
  return {
    funs: listOf(request['fun']).length > 0 ? textsOf(request['fun']) : [textOf(request['fun'])],
    args: [runArguments(request)],
  };
}
