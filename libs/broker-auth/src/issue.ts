/**
 * The broker's JWTs: operator, accounts, users. Signed with node:crypto, whose signature is the same and a hundred times
 * faster than the plain JavaScript of NATS's own keys.
 *
 * Spec: spec/broker.md#jwts.
 */
import { type NatsKey, nkeyText } from '@natrium/envelope';
import {
  type Account,
  decode,
  encodeAccount,
  encodeOperator,
  encodeUser,
  fmtCreds,
  newScopedSigner,
  type UserPermissionsLimits,
} from '@nats-io/jwt';
import { type Permissions, permissionsOf, type Scope, type ScopeName } from './permissions.js';

type Key = Exclude<Parameters<typeof encodeOperator>[1], string | Uint8Array>;

/** Before the cluster's name in its account's. */
const ACCOUNT = 'natrium-';
/** Seconds since 1970: a revocation is of everything issued before a time, and this is later than any JWT will ever be issued. */
const FOR_EVER = 253_402_300_799;
/** The broker counts a limit that is not there as none at all. */
const UNLIMITED = { data: -1, payload: -1, subs: -1 };
/** Strangers share one user: what one of them may hold is small. */
const OF_STRANGERS = { data: -1, payload: 65_536, subs: 16 };
/** A connection of ours has a handful. Each costs the broker 1.5 KB: without a bound, one of them could fill its memory. */
const OF_PARTIES = { data: -1, payload: -1, subs: 64 };
const LIMITS: Readonly<Partial<Record<ScopeName, typeof UNLIMITED>>> = {
  join: OF_STRANGERS,
  knock: OF_STRANGERS,
  minion: OF_PARTIES,
  account: OF_PARTIES,
  guest: OF_PARTIES,
};

export function operatorJwt(operator: NatsKey, signing: NatsKey, systemAccount: NatsKey): Promise<string> {
  return encodeOperator('natrium', pair(operator), {
    signing_keys: [signing.name],
    system_account: systemAccount.name,
  });
}

/** The system account: the broker's own events and questions. It has no streams. */
export function systemAccountJwt(account: NatsKey, operatorSigning: NatsKey): Promise<string> {
  const limits = { ...UNLIMITED, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  return encodeAccount('SYS', pair(account), { limits }, { signer: pair(operatorSigning) });
}

/** The scopes that an account's JWT has, by their names there. @throws {Error} When it is no JWT of an account. */
export function scopesIn(jwt: string): ReadonlySet<string> {
  const { nats } = decode<Account>(jwt);
  return new Set((nats.signing_keys ?? []).flatMap((key) => (typeof key === 'string' ? [] : [key.role])));
}

/** The cluster whose account that is. @throws {Error} When it is no JWT. */
export function clusterIn(jwt: string): string {
  return decode<Account>(jwt).name.slice(ACCOUNT.length);
}

/** The scope keys of a cluster's account: whoever holds one makes users of just that scope. */
export type ScopeKeys = ReadonlyMap<ScopeName, string>;

/**
 * The account of the cluster, with a key for each scope and everybody who is no longer let in.
 *
 * @param account Its name, as `nkeyText` spells it: its own key is not needed.
 * @param revoked NATS keys of users, in any order.
 */
export function accountJwt(
  account: string,
  operatorSigning: NatsKey,
  content: {
    readonly cluster: string;
    readonly scopes: readonly Scope[];
    readonly keys: ScopeKeys;
    readonly revoked: readonly string[];
  },
): Promise<string> {
  const { cluster, scopes, keys, revoked } = content;
  const claims: Partial<Account> = {
    limits: {
      ...UNLIMITED,
      ...{ imports: -1, exports: -1, wildcards: true, conn: -1, leaf: 0 },
      ...{ mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1, max_ack_pending: -1 },
      ...{ mem_max_stream_bytes: -1, disk_max_stream_bytes: -1 },
    },
    signing_keys: scopes.flatMap((scope) => {
      const key = keys.get(scope.name);
      return key === undefined ? [] : [newScopedSigner(publicOnly(key), scope.name, templateOf(scope, cluster))];
    }),
    revocations: Object.fromEntries([...revoked].sort().map((key) => [key, FOR_EVER])),
  };
  return encodeAccount(`${ACCOUNT}${cluster}`, publicOnly(account), claims, {
    signer: pair(operatorSigning),
  });
}

/**
 * A user of one scope.
 *
 * @param name What `<fp>` stands for in its permissions.
 * @param user Its public NATS key, 32 bytes.
 * @param expires Seconds since 1970; undefined: never.
 */
export function scopedUserJwt(
  account: string,
  scopeKey: NatsKey,
  { name, user, expires }: { readonly name: string; readonly user: Uint8Array; readonly expires?: number },
): Promise<string> {
  return encodeUser(
    name,
    publicOnly(nkeyText('user', user)),
    publicOnly(account),
    {},
    { signer: pair(scopeKey), scopedUser: true, ...(expires === undefined ? {} : { exp: expires }) },
  );
}

/** A user with permissions of its own, signed by the account itself: for the system account, whose users are two. */
export function plainUserJwt(
  account: NatsKey,
  { name, user, permissions }: { readonly name: string; readonly user: Uint8Array; readonly permissions: Permissions },
): Promise<string> {
  return encodeUser(name, publicOnly(nkeyText('user', user)), pair(account), {
    ...UNLIMITED,
    ...mutable(permissions),
  });
}

/** As `nats --creds` and every NATS client reads it. */
export function credentialsText(jwt: string, user: NatsKey): string {
  return new TextDecoder().decode(fmtCreds(jwt, pair(user)));
}

function templateOf(scope: Scope, cluster: string): Partial<UserPermissionsLimits> {
  return {
    ...(LIMITS[scope.name] ?? UNLIMITED),
    ...mutable(permissionsOf(scope, cluster)),
  };
}

function mutable({ pub, sub, resp }: Permissions) {
  return {
    pub: { allow: [...pub.allow] },
    sub: { allow: [...sub.allow] },
    ...(resp === undefined ? {} : { resp: { ...resp } }),
  };
}

function pair(key: NatsKey): Key {
  return {
    ...publicOnly(key.name),
    // The library asks for it only to see that there is one.
    getPrivateKey: () => new Uint8Array(),
    getSeed: () => new TextEncoder().encode(key.seedText),
    sign: (bytes) => key.sign(bytes),
  };
}

function publicOnly(name: string): Key {
  const none = (): never => {
    throw new Error('only the public half of this key is known');
  };
  return {
    getPublicKey: () => name,
    getPrivateKey: none,
    getSeed: none,
    sign: none,
    seal: none,
    open: none,
    verify: () => false,
    clear: () => undefined,
  };
}
