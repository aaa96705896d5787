/** Sends a job to its minions: one body, one wrap each, and each one's place in the grant's tree as its private part. */
import { type KnownParty, encode, fp, leafOf, MerkleTree } from '@natrium/envelope';
import type { RoleLink } from '@natrium/edge';
import type { ActiveJob, FanHear, FanRound } from '@natrium/flow';
import { contracts } from '@natrium/wire';

/** How long the broker's "nobody listens" and a stale key may take to come back. */
const REPLY_MS = 10_000;

export class FanOut {
  constructor(private readonly link: RoleLink) {}

  send(job: ActiveJob, hear: FanHear, keyText: (key: Uint8Array) => string, round?: FanRound): void {
    const { link } = this;
    const { request } = job.record;
    const { members, grant, only } = round ?? { ...job.record, only: undefined };
    const tree = MerkleTree.of(members.map(({ id, key }) => leafOf(key, id)));
    const targets: {
      readonly key: string;
      readonly party: KnownParty;
      readonly subject: string;
      readonly private: Uint8Array;
    }[] = [];
    for (const { id, key } of members) {
      if (only?.has(keyText(key)) === false) continue;
      const party = link.directory.jobsOf(key);
      if (party === undefined) hear.notConnected(keyText(key));
      else {
        const index = tree.indexOf(leafOf(key, id));
        const place = encode([index, [...tree.proof(index)]]);
        targets.push({ key: keyText(key), party, subject: link.subjects.job(fp(key)), private: place });
      }
    }
    link.bus.fanOut(
      {
        contract: contracts.job,
        body: { request, grant, instance: link.own.instance },
        targets,
        timeoutMs: REPLY_MS,
      },
      {
        onNoResponders: (index) => {
          const target = targets[index];
          if (target !== undefined) hear.notConnected(target.key);
        },
      },
    );
  }
}
