/** `token.list` and `token.revoke`, for an account with full access. A token is named by the beginning of its hash, or by its user. */
import { err, isMap, ok, refusal, type Value } from '@natrium/model';
import type { AdminHandler } from '../admin-handler.js';
import type { ListedToken, Tokens } from './tokens.js';

export function tokenHandler(tokens: Tokens): AdminHandler {
  return async (fun, [asked]) => {
    if (fun === 'token.list') return ok({ tokens: (await tokens.list()).map(shown) });
    const { id, user, eauth } = isMap(asked) ? asked : {};
    if (fun !== 'token.revoke') return err(NOT_SO);
    if (typeof user === 'string' && (eauth === undefined || typeof eauth === 'string')) {
      return ok(ended(await tokens.revokeOf(eauth, user)));
    }
    if (typeof id !== 'string') return err(NOT_SO);
    const revoked = await tokens.revoke(id);
    return revoked === undefined
      ? err(
          refusal(
            'bad_request',
            `no single token begins with ${JSON.stringify(id.slice(0, 64))}; name 8 digits or more`,
          ),
        )
      : ok(ended([revoked]));
  };
}

/** Whose they were is the audit's to say: the request may name them by a hash alone, or a user without his back end. */
function ended(tokens: readonly ListedToken[]): Value {
  return { revoked: tokens.length, users: [...new Set(tokens.map(({ eauth, name }) => `${eauth}/${name}`))] };
}

function shown({ id, use, name, eauth, groups, start, expires }: ListedToken): Value {
  return { id, use, user: name, eauth, groups: [...groups], start, expires };
}

const NOT_SO = refusal(
  'bad_request',
  'tokens are handled with token.list, token.revoke {id} or token.revoke {user, eauth}',
);
