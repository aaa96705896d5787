/**
 * A key that is not accepted any more: from that moment this gateway hears nothing from it and waits for nothing from it. Its minion
 * is told that it has to join again, and is told when it may come back. Nobody else notices.
 *
 * A key whose minion has changed its identity is heard no more either, but the new identity still answers what the old one was asked.
 *
 * Spec: spec/envelope.md#roster.
 */
import { equalBytes, namesOf, randomBytes, type Signed, toHex } from '@natrium/envelope';
import type { RoleLink } from '@natrium/edge';
import type { ActiveJobs } from '@natrium/flow';
import { contracts } from '@natrium/wire';
import type { Minions } from './minions.js';

const SENTENCE = 'its key was taken away while the job was running';

export function heedRevocations(link: RoleLink, minions: Minions, jobs: ActiveJobs): void {
  minions.onStanding(({ key, accepted, succession }) => {
    if (succession !== undefined) {
      // The new identity answers in its place, and from this moment jobs can be sealed to it.
      introduce(link, succession);
      return;
    }
    tellItself(link, key);
    if (accepted) return;
    // Where its jobs would be sealed to stays known: it is told there when it is accepted again.
    link.directory.retain(({ owner, use }) => use !== 'session' || !equalBytes(owner.key, key));
    for (const job of jobs.all()) jobs.givenUp(job, toHex(key), 'refused', SENTENCE);
  });
}

function introduce({ bus, directory }: RoleLink, announcement: Signed): void {
  const party = bus.sealer.read(announcement);
  if (party.ok) directory.learn(party.value);
}

/** Only where there is a minion to tell; an account's sessions are told with their next request. */
function tellItself({ bus, directory, subjects, transport }: RoleLink, key: Uint8Array): void {
  const party = directory.jobsOf(toHex(key));
  if (party === undefined) return;
  const framing = { messageId: randomBytes(16), re: null, introduce: true };
  transport.publish(
    subjects.job(namesOf(party).fp),
    bus.sealer.seal(contracts.refresh, { what: 'standing' }, [party], framing),
  );
}
