/**
 * Who this host is when its agent starts. Where a change of identity was under way when it ended, the cluster says which of the
 * two it knows: the old one until the change was decided, the new one from then on.
 *
 * Spec: spec/envelope.md#succession.
 */
import type { Identity } from '@natrium/envelope';
import { NextIdentity, readOrMakeIdentity } from '@natrium/keystore';
import { type ComingIn, standingOf } from './coming-in.js';
import { pause } from './joining.js';

export interface WhoWeAre {
  readonly identity: Identity;
  /** Made just now: nothing can have run under it yet. */
  readonly fresh: boolean;
}

const AGAIN_MS = 1000;

/** Asks nobody where no change was under way. @throws {Error} When the signal says to stop. */
export async function identityAtStart(about: Omit<ComingIn, 'identity'>, path: string): Promise<WhoWeAre> {
  const current = readOrMakeIdentity(path);
  const files = new NextIdentity(path);
  const next = files.read();
  if (next === undefined) return current;
  for (;;) {
    const old = await standingOf({ ...about, identity: current.identity });
    // What was begun is gone on with once the agent lives.
    if (old !== undefined && !isTurnedAway(old)) return current;
    const followed = old === undefined ? undefined : await standingOf({ ...about, identity: next });
    if (followed === 'accepted') {
      files.takeOver();
      about.log.info('the new identity was accepted before the agent ended');
      return { identity: next, fresh: false };
    }
    if (followed !== undefined) {
      files.drop();
      return current;
    }
    await pause(AGAIN_MS, about.signal);
    about.signal.throwIfAborted();
  }
}

function isTurnedAway(state: string): boolean {
  return state === 'denied' || state === 'rejected';
}
