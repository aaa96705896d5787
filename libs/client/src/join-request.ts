/** What asks to be let in, or whether one is: signed by the very identity that it is about. Spec: spec/envelope.md#join. */
import { type Identity, randomBytes, type Signed, signJoin } from '@natrium/envelope';
import type { Link } from './connect.js';

const NONCE_BYTES = 16;

/**
 * @param id The name that is asked for.
 * @param announcement Of the identity's own session: where an answer is sealed to.
 */
export function joinRequest(
  { roles, clock }: Pick<Link, 'roles' | 'clock'>,
  id: string,
  { signing, publicKey, nkeyPublic }: Identity,
  announcement: Signed,
): Signed {
  return signJoin(signing, roles.cluster, {
    id,
    identity: publicKey,
    nkey: nkeyPublic,
    announcement,
    issued: clock.now(),
    nonce: randomBytes(NONCE_BYTES),
  });
}
