/** Sends a job to its minions: one body, one wrap each, and each one's place in the grant's tree as its private part. */
import { setImmediate } from 'node:timers/promises';
import { type KnownParty, type MemberTree, MemberTrees, namesOf, toHex, type Wire } from '@natrium/envelope';
import type { FanTarget, ReadyFan } from '@natrium/bus';
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
  readonly fan: ReadyFan<never>;
}

export class FanOut {
  readonly #ready = new WeakMap<JobRecord, Ready>();
  readonly #trees = new MemberTrees();

  constructor(private readonly link: RoleLink) {}

  /** Seals a job while it is written, for as long as the broker's disk takes; the rest is sealed as it is sent. */
  async prepare<T>(record: JobRecord, writing: Promise<T>): Promise<T> {
    const isWritten = settled(writing);
    await Promise.resolve();
    if (isWritten()) return writing;
    // The write leaves for the broker first.
    await setImmediate();
    const ready = this.#readyFor(record, record);
    this.#ready.set(record, ready);
    while (!isWritten() && ready.fan.sealSome()) await setImmediate();
    return writing;
  }

  /** @returns Stops listening for who is not there. */
  send({ record }: ActiveJob, hear: FanHear, round?: FanRound): () => void {
    const known = round === undefined ? this.#ready.get(record) : undefined;
    this.#ready.delete(record);
    const { absent, keys, fan } = known ?? this.#readyFor(record, round ?? record, round?.only);
    for (const key of absent) hear.notConnected(key);
    return fan.send({
      onNoResponders: (index) => {
        const key = keys[index];
        if (key !== undefined) hear.notConnected(key);
      },
    });
  }

  #readyFor(
    { request }: JobRecord,
    { members, grant }: Pick<JobRecord, 'members' | 'grant'>,
    only?: ReadonlySet<string>,
  ): Ready {
    const { link } = this;
    const tree = this.#trees.of(members);
    const absent: string[] = [];
    const keys: string[] = [];
    const targets: FanTarget[] = [];
    for (const [at, member] of members.entries()) {
      const key = toHex(member.key);
      if (only?.has(key) === false) continue;
      const party = link.directory.jobsOf(key);
      if (party === undefined) absent.push(key);
      else {
        keys.push(key);
        targets.push(new Target(party, link.subjects.job(namesOf(party).fp), tree, at));
      }
    }
    const body = { request, grant, instance: link.own.instance };
    const fan = link.bus.readyFan({ contract: contracts.job, body, targets, timeoutMs: REPLY_MS });
    return { absent, keys, fan };
  }
}

/** A class, because a getter of its own for each of thousands costs as much as the rest of it. */
class Target implements FanTarget {
  constructor(
    readonly party: KnownParty,
    readonly subject: string,
    private readonly tree: MemberTree,
    private readonly at: number,
  ) {}

  /** Its place in the grant's tree. */
  get private(): readonly Wire[] {
    return this.tree.placeOf(this.at);
  }
}

/** @returns Tells whether it has come to its end, whatever that is. */
function settled(promise: Promise<unknown>): () => boolean {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  return () => isSettled;
}
