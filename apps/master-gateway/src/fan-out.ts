/** Sends a job to its minions: one body, one wrap each, and each one's place in the grant's tree as its private part. */
import { setImmediate } from 'node:timers/promises';
import { leafOf, MerkleTree, namesOf, toHex } from '@natrium/envelope';
import type { FanTarget } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import type { ActiveJob, FanHear, FanRound } from '@natrium/flow';
import { contracts, type records } from '@natrium/wire';

type JobRecord = records.JobRecord;

/** How long the broker's "nobody listens" and a stale key may take to come back. */
const REPLY_MS = 10_000;

interface Ready {
  readonly absent: readonly string[];
  /** By the target's index. */
  readonly keys: readonly string[];
  readonly send: (hear: { onNoResponders(index: number): void }) => unknown;
}

export class FanOut {
  readonly #ready = new WeakMap<JobRecord, Ready>();

  constructor(private readonly link: RoleLink) {}

  /** Seals a job while it is written: the broker's disk takes longer, and its minions would wait for both. */
  async meanwhile<T>(write: () => Promise<T>, record: JobRecord): Promise<T> {
    const { jid, members } = record;
    const writing = this.link.bus.tracing.step('store job', { jid, minions: members.length }, write);
    // The write leaves for the broker first.
    const sealing = setImmediate().then(() => this.#ready.set(record, this.#seal(record, record)));
    const [written] = await Promise.all([writing, sealing]);
    return written;
  }

  send({ record }: ActiveJob, hear: FanHear, round?: FanRound): void {
    const ready = round === undefined ? this.#ready.get(record) : undefined;
    this.#ready.delete(record);
    const { absent, keys, send } = ready ?? this.#seal(record, round ?? record, round?.only);
    for (const key of absent) hear.notConnected(key);
    send({
      onNoResponders: (index) => {
        const key = keys[index];
        if (key !== undefined) hear.notConnected(key);
      },
    });
  }

  #seal(
    { request }: JobRecord,
    { members, grant }: Pick<JobRecord, 'members' | 'grant'>,
    only?: ReadonlySet<string>,
  ): Ready {
    const { link } = this;
    const meant = members.map(({ id, key }) => ({ key: toHex(key), leaf: leafOf(key, id) }));
    const tree = MerkleTree.of(meant.map(({ leaf }) => leaf));
    const absent: string[] = [];
    const keys: string[] = [];
    const targets: FanTarget[] = [];
    for (const { key, leaf } of meant) {
      if (only?.has(key) === false) continue;
      const party = link.directory.jobsOf(key);
      if (party === undefined) absent.push(key);
      else {
        const index = tree.indexOf(leaf);
        keys.push(key);
        targets.push({
          party,
          subject: link.subjects.job(namesOf(party).fp),
          private: [index, [...tree.proof(index)]],
        });
      }
    }
    const body = { request, grant, instance: link.own.instance };
    const send = link.bus.readyFan({ contract: contracts.job, body, targets, timeoutMs: REPLY_MS });
    return { absent, keys, send };
  }
}
