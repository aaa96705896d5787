/**
 * Who this host is when its agent starts. Where a change of identity was under way when it ended, the cluster says which of the
 * two it knows: the old one until the change was decided, the new one from then on.
 *
 * Spec: spec/envelope.md#succession.
 */
import { keepMinionId, type MinionConfig } from '@natrium/config';
import type { Identity } from '@natrium/envelope';
import { NextIdentity, readOrMakeIdentity } from '@natrium/keystore';
import type { Logger } from 'pino';
import { type AboutHost, standingOf } from './coming-in.js';
import { pause } from '@natrium/process';
import { beginRecord, recordFolder } from '../disk/run-record.js';

const AGAIN_MS = 5000;

/**
 * Asks nobody where no change was under way. A new identity begins with a record in which nothing has run.
 *
 * @param standing Tells what the acl-service says of an identity.
 * @throws {Error} When the signal says to stop.
 */
export async function identityAtStart(
  about: AboutHost,
  path: string,
  standing: typeof standingOf = standingOf,
): Promise<Identity> {
  const { identity: current, fresh } = readOrMakeIdentity(path);
  if (fresh) beginRecord(recordFolder(about.config));
  const files = new NextIdentity(path);
  const next = files.read();
  if (next === undefined) return current;
  for (;;) {
    const old = await standing({ ...about, identity: current });
    // What was begun is gone on with once the agent lives.
    if (old === 'accepted' || old === 'pending') return current;
    const followed = isTurnedAway(old) ? await standing({ ...about, identity: next }) : undefined;
    if (followed === 'accepted') {
      files.takeOver();
      about.log.info('the new identity was accepted before the agent ended');
      return next;
    }
    if (isTurnedAway(followed)) {
      files.drop();
      return current;
    }
    about.log.warn({ old, next: followed }, 'which of its two identities this minion has is not decided; asking again');
    await pause(AGAIN_MS, about.signal);
    about.signal.throwIfAborted();
  }
}

/** Any other word, as `full`, or none, decides nothing: the only copy of a key is not dropped for it. */
function isTurnedAway(state: string | undefined): boolean {
  return state === 'denied' || state === 'rejected';
}

/** Once the master has accepted it under this name; a host that starts as `localhost` may be called otherwise until then. */
export function keepName(config: MinionConfig, log: Pick<Logger, 'warn'>): void {
  try {
    keepMinionId(config);
  } catch (cause) {
    log.warn(
      { err: cause },
      'the name of this minion is kept nowhere: where its host is called otherwise, it is another',
    );
  }
}
