/** Who wants to log in, as a lowstate or a form says it: at `/login`, `/token` and `/run`. */
import { Float, type Value, type ValueMap } from '@natrium/model';
import type { LoginAsk } from './sessions.js';

const CREDENTIALS: ReadonlySet<string> = new Set([
  'username', 'password', 'eauth', 'sharedsecret', 'token_expire', 'token',
]); // prettier-ignore

/** @returns undefined when something is missing. */
export function loginAsk(low: ValueMap, use: LoginAsk['use']): LoginAsk | undefined {
  const [eauth, username] = [textOf(low['eauth']), textOf(low['username'])];
  const secret = textOf(low['password'] ?? low['sharedsecret']);
  if (eauth === undefined || username === undefined || secret === undefined) return undefined;
  const expire = low['token_expire'];
  const seconds = expire instanceof Float ? expire.value : Number(expire ?? Number.NaN);
  return {
    eauth,
    username,
    secret,
    use,
    // The acl-service allows ten years at most.
    expire: Number.isFinite(seconds) && seconds >= 1 ? Math.min(Math.floor(seconds), Number.MAX_SAFE_INTEGER) : null,
  };
}

/** What is left is to be run. */
export function withoutCredentials(low: ValueMap): ValueMap {
  return Object.fromEntries(Object.entries(low).filter(([key]) => !CREDENTIALS.has(key)));
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
