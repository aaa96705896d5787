/** This host's own key, for `natrium-call --local`: whoever is to accept it compares its fingerprint before any master answers this host. */
import { join } from 'node:path';
import type { MinionConfig } from '@natrium/config';
import { fingerprint, sodiumReady } from '@natrium/envelope';
import { readIdentity } from '@natrium/keystore';

/** @returns undefined before the first start of the agent, which makes the key. @throws {Error} When it may not be read. */
export async function ownFingerprint({ pki_dir: folder }: MinionConfig): Promise<string | undefined> {
  await sodiumReady();
  const identity = readIdentity(join(folder, 'minion.key'));
  return identity === undefined ? undefined : fingerprint(identity.publicKey);
}
