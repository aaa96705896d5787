/**
 * The broker's part of the master's key folder, `pki/broker/`. Who needs what:
 *
 * - `offline/`: operator and account keys, which made everything else; needed again only to replace them;
 * - `acl/`: the scope keys that make users, the operator signing key that revokes them, the system user: the acl-service's alone;
 * - `users/<name>.creds`: one for each service role, and those of `audit verify` and `doctor`;
 * - `join.creds`: for every minion; `knock.creds`: for whoever logs in on the master's host; `server.conf`: for every broker.
 *
 * Spec: spec/broker.md#keys.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NatsKey } from '@natrium/envelope';
import { KeyfileCorrupt, readCredentials, readIfThere, readKeyFile, writeKeyFile, writeWhole } from '@natrium/keystore';
import {
  accountJwt,
  clusterIn,
  credentialsText,
  operatorJwt,
  plainUserJwt,
  scopedUserJwt,
  type ScopeKeys,
  systemAccountJwt,
} from './issue.js';
import { ROLE_SCOPES, type ScopeName, SCOPES } from './permissions.js';
import { resolverConfig } from './server-config.js';

const READABLE = 0o644;
const OWNER_ONLY = 0o600;
/** The public keys of the fixed users, which the acl-service must never cut off. */
const FIXED_USERS = 'fixed-users.json';
/** Where the written `server.conf` lets a broker keep its accounts. */
const RESOLVER_DIR = '/var/lib/nats/jwt';
/** The scopes whose users the acl-service makes while the cluster runs. */
const ISSUED = ['minion', 'account', 'guest'] as const;
export type IssuedScope = (typeof ISSUED)[number];
/** The scopes with one user each, which is made with the cluster and good until it is replaced. */
const FIXED: readonly ScopeName[] = [...ROLE_SCOPES, 'auditor', 'keeper', 'join', 'knock'];
/** Fixed users that everybody shares: their credentials are no secret, and the broker sees one and the same user. */
const SHARED: ReadonlySet<string> = new Set(['join', 'knock']);

/** What the system user of the acl-service, and the one of `doctor`, may ask the broker. */
const SYSTEM_USERS = {
  system: ['$SYS.REQ.CLAIMS.UPDATE', '$SYS.REQ.ACCOUNT.*.CLAIMS.LOOKUP'],
  doctor: ['$SYS.REQ.SERVER.PING.*', '$SYS.REQ.ACCOUNT.*.CLAIMS.LOOKUP'],
} as const;

export class BrokerKeys {
  constructor(
    /** `pki/broker`. */
    readonly folder: string,
  ) {}

  get exists(): boolean {
    return existsSync(this.#path('account'));
  }

  /** Makes all of it or nothing, also when it is interrupted. @throws {Error} When some of it is there: nothing is overwritten. */
  async create(cluster: string): Promise<void> {
    if (existsSync(this.folder)) throw new Error(`${this.folder} is there already; nothing was changed`);
    this.begin();
    // What an interrupted `create` has left: nobody has a key of it.
    for (const name of readdirSync(this.#draft)) rmSync(join(this.#draft, name), { recursive: true });
    await new BrokerKeys(this.#draft).#make(cluster);
    renameSync(this.#draft, this.folder);
  }

  /** Says that they are being made: a cluster that lacks them otherwise has lost them, and must not be given others. */
  begin(): void {
    mkdirSync(this.#draft, { recursive: true, mode: 0o700 });
  }

  get isBegun(): boolean {
    return existsSync(this.#draft);
  }

  /** `begin` was the last that was done: the keys of the cluster itself were to come next. */
  get isOnlyBegun(): boolean {
    return this.isBegun && readdirSync(this.#draft).length === 0;
  }

  get #draft(): string {
    return `${this.folder}.new`;
  }

  /**
   * Makes the scopes that a cluster of an earlier version lacks. They count once an acl-service has started anew: it signs the account.
   *
   * @returns Their names; none: nothing was changed.
   */
  async complete(): Promise<readonly ScopeName[]> {
    const { scopeKeys: known, missing } = this;
    // A cluster of an earlier version has no list of its fixed users: it is made from their credentials.
    if (!existsSync(this.#path('acl', FIXED_USERS))) this.#writeFixedUsers(this.fixedUsers);
    if (missing.length === 0) return [];
    const keys = new Map(missing.map((name) => [name, NatsKey.generate('account')]));
    for (const name of ISSUED) this.#writeScopeKey(name, keys);
    await this.#writeFixed(this.account, keys);
    // Last: until then they are missing.
    this.#writeScopes(new Map([...known, ...[...keys].map(([name, key]) => [name, key.name] as const)]));
    return missing;
  }

  /** `complete` has nothing to make. @throws {KeyfileCorrupt} */
  get isComplete(): boolean {
    return existsSync(this.#path('acl', FIXED_USERS)) && this.missing.length === 0;
  }

  /** The name of the cluster's account. @throws {KeyfileCorrupt} */
  get account(): string {
    const name = this.#text(this.#path('account')).trim();
    if (!/^A[A-Z2-7]{55}$/.test(name)) throw new KeyfileCorrupt(this.#path('account'), 'hold the name of an account');
    return name;
  }

  /** The cluster that they were made for: every permission names it. @throws {Error} When its account cannot be read. */
  get cluster(): string {
    return clusterIn(this.#text(this.#path('jwt', 'account.jwt')).trim());
  }

  /** @throws {KeyfileCorrupt} */
  get scopeKeys(): ScopeKeys {
    const keys = this.#keysIn(this.#path('acl', 'scopes.json'));
    return new Map(SCOPES.flatMap(({ name }) => (keys[name] === undefined ? [] : [[name, keys[name]] as const])));
  }

  /** Scopes that a cluster of an earlier version lacks. @throws {KeyfileCorrupt} */
  get missing(): readonly ScopeName[] {
    const known = this.scopeKeys;
    return SCOPES.map(({ name }) => name).filter((name) => !known.has(name));
  }

  /**
   * The public keys of the fixed users, as `nkeyText` spells them, by scope: services, readers, those who join or knock. Where
   * `natriumctl init` of this version has not run yet: those whose credentials can be read here.
   *
   * @throws {KeyfileCorrupt}
   */
  get fixedUsers(): ReadonlyMap<ScopeName, string> {
    const path = this.#path('acl', FIXED_USERS);
    const written = existsSync(path) ? this.#keysIn(path) : {};
    return new Map(
      FIXED.flatMap((name) => {
        const key = written[name] ?? this.#userIn(this.credsPath(name));
        return key === undefined ? [] : [[name, key] as const];
      }),
    );
  }

  get operatorSigning(): NatsKey {
    return this.#key('operator', this.#path('acl', 'operator-signing.key'));
  }

  scopeKey(name: IssuedScope): NatsKey {
    return this.#key('account', this.#path('acl', `${name}.key`));
  }

  /** The account's own key, which is kept offline. */
  get offlineAccount(): NatsKey {
    return this.#key('account', this.#path('offline', 'account.key'));
  }

  /** The system account's own key, which is kept offline. */
  get offlineSystem(): NatsKey {
    return this.#key('account', this.#path('offline', 'system.key'));
  }

  credsPath(name: ScopeName | keyof typeof SYSTEM_USERS): string {
    if (SHARED.has(name)) return this.#path(`${name}.creds`);
    if (name === 'system') return this.#path('acl', 'system.creds');
    return this.#path('users', `${name}.creds`);
  }

  /** For nats-server's `include`. @param dir The resolver's own folder. */
  serverConfig(dir: string): string {
    const jwt = (name: string) => this.#text(this.#path('jwt', `${name}.jwt`)).trim();
    const names = { account: this.account, system: this.#text(this.#path('jwt', 'system')).trim() };
    return resolverConfig({ operator: jwt('operator'), system: jwt('system'), account: jwt('account') }, names, dir);
  }

  get offlineFolder(): string {
    return this.#path('offline');
  }

  async #make(cluster: string): Promise<void> {
    const [operator, signing] = [NatsKey.generate('operator'), NatsKey.generate('operator')];
    const [account, system] = [NatsKey.generate('account'), NatsKey.generate('account')];
    for (const [name, key] of Object.entries({ operator, account, system }))
      writeKeyFile(this.#path('offline', `${name}.key`), key.seed);
    writeKeyFile(this.#path('acl', 'operator-signing.key'), signing.seed);
    const keys = new Map(SCOPES.map(({ name }) => [name, NatsKey.generate('account')]));
    for (const name of ISSUED) this.#writeScopeKey(name, keys);
    await this.#writeFixed(account.name, keys);
    await this.#writeSystemUsers(system);
    const scopeKeys = new Map([...keys].map(([name, key]) => [name, key.name]));
    const jwts = {
      operator: await operatorJwt(operator, signing, system),
      system: await systemAccountJwt(system, signing),
      account: await accountJwt(account.name, signing, { cluster, scopes: SCOPES, keys: scopeKeys, revoked: [] }),
    };
    this.#writeScopes(scopeKeys);
    for (const [name, jwt] of Object.entries(jwts)) writeWhole(this.#path('jwt', `${name}.jwt`), `${jwt}\n`, READABLE);
    writeWhole(this.#path('jwt', 'system'), `${system.name}\n`, READABLE);
    writeWhole(this.#path('account'), `${account.name}\n`, READABLE);
    writeWhole(this.#path('server.conf'), this.serverConfig(RESOLVER_DIR), READABLE);
    // Every service passes through here to its own file; nobody may list.
    chmodSync(this.folder, 0o711);
    chmodSync(this.#path('users'), 0o711);
  }

  #writeScopes(keys: ScopeKeys): void {
    writeWhole(this.#path('acl', 'scopes.json'), `${JSON.stringify(Object.fromEntries(keys))}\n`, READABLE);
  }

  #writeScopeKey(name: IssuedScope, keys: ReadonlyMap<ScopeName, NatsKey>): void {
    const key = keys.get(name);
    if (key !== undefined) writeKeyFile(this.#path('acl', `${name}.key`), key.seed);
  }

  /** The keys that made fixed users are not kept: nobody can make another one of their scopes. */
  async #writeFixed(account: string, scopeKeys: ReadonlyMap<ScopeName, NatsKey>): Promise<void> {
    const users = new Map(this.fixedUsers);
    for (const name of FIXED) {
      const scopeKey = scopeKeys.get(name);
      if (scopeKey === undefined) continue;
      const user = NatsKey.generate('user');
      const jwt = await scopedUserJwt(account, scopeKey, { name: fixedName(name, user.name), user: user.publicKey });
      writeWhole(this.credsPath(name), credentialsText(jwt, user), SHARED.has(name) ? READABLE : OWNER_ONLY);
      users.set(name, user.name);
    }
    this.#writeFixedUsers(users);
  }

  #writeFixedUsers(users: ReadonlyMap<ScopeName, string>): void {
    writeWhole(this.#path('acl', FIXED_USERS), `${JSON.stringify(Object.fromEntries(users))}\n`, READABLE);
  }

  /** @returns undefined when there are no such credentials, or none that we may read. */
  #userIn(path: string): string | undefined {
    try {
      return readCredentials(path)?.key.name;
    } catch {
      return undefined; // another service's, or spoilt: whoever uses them says so
    }
  }

  async #writeSystemUsers(account: NatsKey): Promise<void> {
    for (const name of ['system', 'doctor'] as const) {
      const user = NatsKey.generate('user');
      const permissions = {
        pub: { allow: SYSTEM_USERS[name] },
        sub: { allow: [`_INBOX.${fixedName(name, user.name)}.>`] },
      };
      const jwt = await plainUserJwt(account, { name: fixedName(name, user.name), user: user.publicKey, permissions });
      writeWhole(this.credsPath(name), credentialsText(jwt, user), OWNER_ONLY);
    }
  }

  #key(kind: 'operator' | 'account', path: string): NatsKey {
    const seed = readKeyFile(path);
    if (seed === undefined) throw new KeyfileCorrupt(path, 'exist');
    return NatsKey.fromSeed(kind, seed);
  }

  /** Public keys by the names of their scopes. */
  #keysIn(path: string): Readonly<Record<string, string>> {
    const text = this.#text(path);
    try {
      const keys: unknown = JSON.parse(text);
      if (isKeys(keys)) return keys;
    } catch {
      // said below
    }
    throw new KeyfileCorrupt(path, 'hold keys by name');
  }

  #text(path: string): string {
    const bytes = readIfThere(path);
    if (bytes === undefined) throw new KeyfileCorrupt(path, 'exist');
    return bytes.toString();
  }

  #path(...parts: readonly string[]): string {
    return join(this.folder, ...parts);
  }
}

function isKeys(value: unknown): value is Readonly<Record<string, string>> {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMap && Object.values(value).every((key) => typeof key === 'string');
}

/**
 * What a fixed user is called at the broker: a word of its own in each cluster, so that nobody's inbox is anybody else's.
 *
 * @param key Its public key, as `nkeyText` spells it.
 */
export function fixedName(scope: string, key: string): string {
  return SHARED.has(scope) ? scope : `${scope}-${key.slice(1, 13).toLowerCase()}`;
}
