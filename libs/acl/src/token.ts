/**
 * Tokens: a proof of an earlier login. Groups are those of the time of issue; permissions are read anew at each use, unless the list
 * was kept.
 *
 * Diverges: a backend without a list of its own keeps the list that the file gave at login (compat/divergences.md, kept-acl-is-empty).
 *
 * Spec: spec/acl.md#tokens.
 */
import { ok, type Refusal, refuse, type Result, type Value } from '@natrium/model';
import { type Login, listsOfLogin } from './external.js';
import type { Policy } from './policy.js';

export interface TokenRecord extends Login {
  readonly backend: string;
  /** Milliseconds since 1970; a record without it is refused. */
  readonly expires: number | undefined;
  /** The entries kept at issue; undefined: the current file counts. */
  readonly list: readonly Value[] | undefined;
}

export interface TokenRequest {
  readonly backend: string;
  readonly login: Login;
  readonly expires: number;
  /** A list that the backend itself supplied. */
  readonly ownList?: readonly Value[];
}

/** The record of a new token, with the list in it where `keep_acl_in_token` says so. */
export function makeToken(policy: Policy, { backend, login, expires, ownList }: TokenRequest): TokenRecord {
  const fromFile = listsOfLogin(policy.external.get(backend) ?? [], login, policy.settings.permissiveAcl);
  const kept = ownList ?? fromFile.flatMap(({ source }) => source);
  return { ...login, backend, expires, list: policy.settings.keepAclInToken ? kept : undefined };
}

/** Tells whether a record still proves anything; whoever stores it deletes it when not. */
export function checkToken(
  policy: Policy,
  record: TokenRecord | undefined,
  nowMs: number,
): Result<TokenRecord, Refusal> {
  if (record === undefined) return refuse('bad_credential', 'the token is unknown');
  if (record.expires === undefined || record.expires <= nowMs) return refuse('bad_credential', 'the token has expired');
  if (!policy.external.has(record.backend))
    return refuse('bad_credential', `the backend ${record.backend} is not configured`);
  // A list that was kept counts only as long as the master keeps lists.
  return ok(policy.settings.keepAclInToken ? record : { ...record, list: undefined });
}
