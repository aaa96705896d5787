/** How long a token lives: `token_expire`, or what the login asks for where `token_expire_user_override` lets it. */
import type { MasterConfig } from '@natrium/config';
import { isList, isMap } from '@natrium/model';

/** Ten years: clients of Salt ask for three. */
const MAX_SECONDS = 315_360_000;

export interface Wish {
  readonly eauth: string;
  readonly username: string;
  /** Seconds; null: none. */
  readonly expire: number | null;
}

/** @returns ms. */
export function tokenLifetimeMs(
  { token_expire: usual, token_expire_user_override: override }: MasterConfig,
  { eauth, username, expire }: Wish,
): number {
  if (expire === null || expire < 1) return usual * 1000;
  const named = isMap(override) && Object.hasOwn(override, eauth) ? override[eauth] : undefined;
  const may = override === true || (isList(named) && named.includes(username));
  return (may ? Math.min(expire, MAX_SECONDS) : usual) * 1000;
}
