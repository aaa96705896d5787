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
  return { eauth, username, secret, use, expire: secondsIn(low['token_expire']) };
}

/** The lowstate without its credentials: what is to be run. */
export function withoutCredentials(low: ValueMap): ValueMap {
  return Object.fromEntries(Object.entries(low).filter(([key]) => !CREDENTIALS.has(key)));
}

/** The acl-service gives a second at least and ten years at most. @returns null for what is no number. */
function secondsIn(expire: Value | undefined): number | null {
  const word = expire instanceof Float ? String(expire.value) : textOf(expire);
  const seconds = word === undefined || word.trim() === '' ? Number.NaN : Number(word);
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.floor(seconds), 0), Number.MAX_SAFE_INTEGER) : null;
}

function textOf(value: Value | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}
