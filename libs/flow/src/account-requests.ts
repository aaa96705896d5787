/**
 * Accounts of the host and their keys: list, enrol, remove. Root on the host makes the keys; only public halves come here.
 *
 * A name has at most one accepted key, a key never two names, and a key that was removed never comes back.
 *
 * Spec: spec/envelope.md#keys; docs/accounts.md.
 */
import { isMap, ok, type Refusal, refuse, type Result, type Value } from '@natrium/model';
import type { KeyRecord } from './join.js';

export interface AccountPorts {
  records(): readonly KeyRecord[];
  fingerprintOf(key: Uint8Array): string;
  /** The 32 bytes of 64 hexadecimal digits; undefined for everything else. */
  keyFrom(text: string): Uint8Array | undefined;
  /** Has the key that `natriumctl init` made; nobody else may have that name. */
  masterAccount(): string;
  /** undefined when the name or the key was taken meanwhile. */
  write(record: Omit<KeyRecord, 'revision'>): Promise<KeyRecord | undefined>;
}

/** Unix, LDAP and AD names: no path, no option, no control character, nothing that a claim could be taken for. */
const ACCOUNT_NAME = /^[A-Za-z_][A-Za-z0-9_.@\\+-]{0,126}\$?$/;
const CLAIM_PREFIX = 'sudo_';

/** Whether an account of this name may have a key of its own. */
export function isAccountName(name: string): boolean {
  return ACCOUNT_NAME.test(name) && !name.startsWith(CLAIM_PREFIX) && name !== 'root';
}

export class AccountRequests {
  constructor(private readonly ports: AccountPorts) {}

  async handle(fun: string, args: readonly Value[]): Promise<Result<Value, Refusal>> {
    const [arg] = args;
    if (fun === 'account.list') return ok(this.#list());
    if (fun === 'account.enrol') return this.#enrol(arg);
    if (fun === 'account.remove') return this.#remove(arg);
    return refuse('bad_request', `there is no account request ${fun}`);
  }

  #list(): Value {
    return this.#accounts().map(({ name, identity, state }) => ({
      name,
      fingerprint: this.ports.fingerprintOf(identity),
      state,
    }));
  }

  async #enrol(arg: Value | undefined): Promise<Result<Value, Refusal>> {
    const { name, identity: identityText = '', nkey: nkeyText = '' } = textsOf(arg);
    const identity = this.ports.keyFrom(identityText);
    const nkey = this.ports.keyFrom(nkeyText);
    if (name === undefined || identity === undefined || nkey === undefined) {
      return refuse('bad_request', 'an account is enrolled with its name and the public halves of its key');
    }
    if (!isAccountName(name) || name === this.ports.masterAccount()) {
      return refuse(
        'bad_request',
        `${JSON.stringify(name.slice(0, 128))} is no name for an account with a key of its own`,
      );
    }
    const finger = this.ports.fingerprintOf(identity);
    const known = this.ports.records().find((record) => this.ports.fingerprintOf(record.identity) === finger);
    if (known?.state === 'accepted' && known.kind === 'account' && known.name === name) return ok(name);
    if (known !== undefined)
      return refuse('key_state', `the key ${finger} has been used before; account ${name} needs a new one`);
    if (this.#accounts().some((other) => other.name === name && other.state === 'accepted')) {
      return refuse('key_state', `account ${name} already has another accepted key; remove that one first`);
    }
    const written = await this.ports.write({ kind: 'account', name, identity, nkey, state: 'accepted' });
    return written === undefined
      ? refuse('key_state', `account ${name} has just been given another key; look again`)
      : ok(name);
  }

  async #remove(arg: Value | undefined): Promise<Result<Value, Refusal>> {
    const { name, fingerprint } = textsOf(arg);
    if (name === undefined || fingerprint === undefined) {
      return refuse('bad_request', 'a key of an account is named by the account and its fingerprint');
    }
    if (name === this.ports.masterAccount())
      return refuse('key_state', `account ${name} is the master’s own; its key stays`);
    const record = this.#accounts().find(
      (one) =>
        one.name === name &&
        one.state !== 'deleted' &&
        this.ports.fingerprintOf(one.identity) === fingerprint.toLowerCase(),
    );
    if (record === undefined)
      return refuse('key_mismatch', `no key of account ${name} has the fingerprint ${fingerprint}`);
    const written = await this.ports.write({ ...record, state: 'deleted' });
    return written === undefined
      ? refuse('key_state', `the key of account ${name} has just been changed; look again`)
      : ok(name);
  }

  #accounts(): readonly KeyRecord[] {
    return this.ports.records().filter(({ kind }) => kind === 'account');
  }
}

function textsOf(arg: Value | undefined): Readonly<Record<string, string | undefined>> {
  const entries = isMap(arg)
    ? Object.entries(arg).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : [];
  return Object.fromEntries(entries);
}
