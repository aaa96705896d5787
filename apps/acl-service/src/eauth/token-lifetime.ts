/** How long a token lives: `token_expire`, or what the login asks for where `token_expire_user_override` lets it. */
import type { MasterConfig } from '@natrium/config';
import { isList, isMap } from '@natrium/model';

/** Ten years: clients of Salt ask for three. */
const MAX_SECONDS = 315_360_000;

export interface Wish {
  readonly eauth: string;
  /** As the back end spells it, which is how rules name somebody. */
  readonly name: string;
  /** Seconds, of which a token has one at least; null: none. */
  readonly expire: number | null;
}

/** @returns ms. */
export function tokenLifetimeMs(
  { token_expire: usual, token_expire_user_override: override }: MasterConfig,
  { eauth, name, expire }: Wish,
): number {
  if (expire === null) return usual * 1000;
  const named = isMap(override) && Object.hasOwn(override, eauth) ? override[eauth] : undefined;
  const may = override === true || (isList(named) && named.includes(name));
  return (may ? Math.min(Math.max(expire, 1), MAX_SECONDS) : usual) * 1000;
}
