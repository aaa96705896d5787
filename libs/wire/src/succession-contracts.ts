/** The messages with which a minion changes its identity. Spec: spec/wire.md. */
import * as z from 'zod/mini';
import { contract } from './contract.js';
import { fields } from './codec.js';
import { refused, signature, signed, userJwt } from './fields.js';

/**
 * A minion changes its identity: the join request of the new one, signed by the old one too, and the new one's grains.
 * `prepare` lets the new one onto the broker and is no decision; `commit` puts it in the old one's place.
 */
export const succeed = contract(
  'succeed',
  ['identity'],
  fields({ what: z.enum(['prepare', 'commit']), join: signed, signature, data: signed }),
);
export const succeeded = contract(
  'succeeded',
  ['acl'],
  fields({ refusal: z.nullable(refused), record: z.nullable(signed), user: z.nullable(userJwt) }),
);
