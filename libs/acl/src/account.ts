/**
 * Local accounts: who gets a key of their own, and which claimed account a key proves.
 *
 * The master's own key may speak for `sudo_<name>`, and root's for anyone, as in the original; every other key for itself only.
 *
 * Spec: spec/acl.md#accounts. The original's behaviour: compat/cases/publisher_acl.jsonl.
 */
import { ok, type Refusal, refuse, type Result } from '@natrium/model';
import type { AccessList, Policy } from './policy.js';

export interface AccountIdentity {
  /** The name as claimed; it is recorded, audited and tested against the blacklist. */
  readonly name: string;
  /** Whose lists count; undefined: full access. */
  readonly listsOf: string | undefined;
  /** Whether the proof is the master's own key: only then may a list from a higher master count. */
  readonly byMasterKey: boolean;
}

const SUDO = 'sudo_';

/**
 * The accounts that get a key: the master's own, that of its process, and those that `publisher_acl` names and, verified, that exist
 * on the host.
 */
export function keyHolders(
  { publisher, settings }: Policy,
  hostAccounts: Iterable<string>,
  processAccount: string = settings.masterAccount,
): ReadonlySet<string> {
  const holders = new Set([settings.masterAccount, processAccount]);
  const existing = new Set(hostAccounts);
  for (const { key, users } of publisher) {
    if (!settings.clientAclVerify || existing.has(key)) holders.add(key);
    if (!settings.clientAclVerify) continue;
    for (const account of existing) if (users.test(account)) holders.add(account);
  }
  return holders;
}

export interface AccountClaim {
  readonly claimed: string;
  /** Whose key signed or was presented; null: none. */
  readonly keyOf: string | null;
}

/** Tells who an account is that claims a name with a key. @param processAccount The account that the services run as. */
export function authenticateAccount(
  policy: Policy,
  { claimed, keyOf }: AccountClaim,
  processAccount: string = policy.settings.masterAccount,
): Result<AccountIdentity, Refusal> {
  const { masterAccount } = policy.settings;
  const byMasterKey = keyOf === masterAccount;
  const full = ok({ name: claimed, listsOf: undefined, byMasterKey });
  if (keyOf === null || claimed === '') return refused(claimed);
  if (claimed.startsWith(SUDO)) return byMasterKey ? sudoIdentity(policy, claimed) : refused(claimed);
  if (claimed === masterAccount || claimed === 'root') return byMasterKey ? full : refused(claimed);
  if (claimed === processAccount) return keyOf === claimed ? full : refused(claimed);
  if (keyOf === 'root') return full;
  if (keyOf !== claimed) return refused(claimed);
  return ok({ name: claimed, listsOf: claimed, byMasterKey: false });
}

function sudoIdentity({ publisher, settings }: Policy, claimed: string): Result<AccountIdentity, Refusal> {
  if (claimed === SUDO) return refused(claimed);
  const restricted = settings.sudoAcl && publisher.length > 0;
  return ok({ name: claimed, listsOf: restricted ? claimed.slice(SUDO.length) : undefined, byMasterKey: true });
}

/** The lists of every key of `publisher_acl` that matches the account, in the order of the file. */
export function listsOfAccount({ publisher }: Policy, account: string): readonly AccessList[] {
  return publisher.filter(({ users }) => users.test(account)).map(({ list }) => list);
}

function refused(claimed: string): Result<AccountIdentity, Refusal> {
  return refuse('bad_credential', `the key does not prove the account ${claimed.slice(0, 80)}`);
}
