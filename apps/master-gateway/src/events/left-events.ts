/**
 * What a gateway that is gone had no time to say of its jobs. A gateway that goes on with them looks through that one's last seconds in the
 * job cache, reads the journal once, and stores the events that are missing there.
 *
 * All gateways do so as one sender, and the journal takes each of a sender's numbers once. So when two have found the same events, only
 * one stores them; the other finds its numbers taken, and looks again. Spec: docs/event-bus.md#order-and-gaps.
 */
import { type EventFeed, type EventLog, type From, stampOf, timeOf, trimmed } from '@natrium/events';
import { isMap, keepLatest, type Value } from '@natrium/model';
import type { records } from '@natrium/wire';
import type { JobCache } from '../jobs/job-cache.js';
import type { PlacedJob } from '../jobs/job-records.js';
import { CLOCKS_MS, type JobEvents, type Told } from './job-events.js';

const SENDER = 'left';
/** Before its last event the gateway had told of everything that was stored so long before it. */
const STORING_MS = 10_000;
/** Where nothing is kept to go by, numbers begin at the hour: gateways that look for the same events at one time begin with the same. */
const HOUR_MS = 3_600_000;
/** A return that another gateway may have written is left alone for so long: one that is alive has told of it by then. */
const TOLD_MS = 2000;
/** How many events are looked for at most, the latest. */
const MAX_UNTOLD = 100_000;
/** How many events of the journal are read at most; what is not found among them is said, even if that is the second time. */
const MAX_READ = 200_000;
/** Limits of one batch that is stored, and how often all is looked for again while other gateways do the same. */
const MAX_BATCH = 500;
const MAX_BATCH_BYTES = 1 << 20;
const ROUNDS = 5;

export interface LeftPorts {
  readonly log: Pick<EventLog, 'lastBatch' | 'lastOf' | 'appendStorable' | 'whenStored'>;
  readonly bus: Pick<EventFeed, 'subscribe'>;
  readonly jobs: Pick<JobEvents, 'startOf' | 'returnOf'>;
  readonly cache: Pick<JobCache, 'secondsLeft'>;
  readonly maxBytes: number;
  now(): number;
  onProblem(problem: string, cause?: unknown): void;
}

/** An event of which nobody knows yet whether it is told. */
interface Due extends Told {
  /** Milliseconds since 1970: it was told no earlier. */
  readonly since: number;
}

/** The last seconds of a gateway that is gone. */
interface Left {
  readonly instance: string;
  readonly jobs: readonly PlacedJob[];
  /** By gateway, since when it may not have said all; of others that have stored returns of these jobs, too. */
  readonly since: Map<string, number>;
}

type Untold = Set<string>;

export class LeftEvents {
  constructor(private readonly ports: LeftPorts) {}

  /**
   * @param jobs That were the instance's when it was found to be gone.
   * @returns How many events were missing.
   * @throws {Error} When that could not be found out, or not all is stored: it may be done again.
   */
  async tell(instance: string, jobs: readonly PlacedJob[]): Promise<number> {
    if (jobs.length === 0) return 0;
    const { log } = this.ports;
    const saidAt = await this.#saidLast(instance);
    const left = { instance, jobs, since: new Map([[instance, sinceOf(saidAt)]]) };
    // The journal forgets which numbers were used, and sinks do not: to them a number that comes again is the same event.
    const least = (saidAt ?? Math.floor(this.ports.now() / HOUR_MS) * HOUR_MS) * 1000;
    const { untold, since } = await this.#untoldOf(left);
    let from: From = { time: since - CLOCKS_MS };
    let stored = 0;
    const end = log.whenStored(({ sender, events }) => {
      if (sender === SENDER) for (const { tag, data } of events) stored += untold.delete(keyOf(tag, data)) ? 1 : 0;
    });
    try {
      for (let round = 1; untold.size > 0; round += 1) {
        if (round > ROUNDS) throw new Error(`other gateways say what ${instance} has left all the time`);
        const number = Math.max(await log.lastOf(SENDER), least);
        from = await this.#dropTold(untold, from);
        await this.#store(left, untold, number);
      }
    } finally {
      end();
    }
    return stored;
  }

  async #untoldOf(left: Left): Promise<{ readonly untold: Untold; readonly since: number }> {
    const untold: Untold = new Set();
    let since = Infinity;
    let isCut = false;
    for await (const due of this.#dueOf(left)) {
      untold.add(keyOf(due.tag, due.data));
      isCut = keepLatest(untold, MAX_UNTOLD) || isCut;
      since = Math.min(since, due.since);
    }
    if (isCut)
      this.ports.onProblem(`of what ${left.instance} may not have said, the latest events alone are looked for`);
    return { untold, since };
  }

  /** @returns Where the journal is read on from. */
  async #dropTold(untold: Untold, from: From): Promise<From> {
    let next = from;
    let read = 0;
    for await (const { id, tag, data, cursor } of this.ports.bus.subscribe({ from, until: 'now' })) {
      if (isGateways(id)) untold.delete(keyOf(tag, data));
      next = { cursor };
      read += 1;
      if (untold.size === 0 || read === MAX_READ) break;
    }
    return next;
  }

  /** @param last The number of the sender's last event, as it was before the journal was read. */
  async #store(left: Left, untold: Untold, last: number): Promise<void> {
    let number = last;
    let bytes = 0;
    let batch: records.StoredEvent[] = [];
    const store = async () => {
      await this.#append(batch, untold);
      batch = [];
      bytes = 0;
    };
    if (untold.size === 0) return;
    for await (const due of this.#dueOf(left)) {
      if (!untold.has(keyOf(due.tag, due.data))) continue;
      const event = this.#trimmed(due, untold);
      if (event === undefined) continue;
      const { tag, origin, data, bytes: size } = event;
      if (batch.length === MAX_BATCH || (batch.length > 0 && bytes + size > MAX_BATCH_BYTES)) await store();
      number += 1;
      batch.push({ number, tag, data, origin, stamp: stampOf(this.ports.now()) });
      bytes += size;
    }
    await store();
  }

  /** @returns undefined for what no trying again makes an event of. */
  #trimmed({ tag, data, origin }: Due, untold: Untold): (Told & { readonly bytes: number }) | undefined {
    try {
      return { tag, origin, ...trimmed(data, this.ports.maxBytes) };
    } catch (cause) {
      this.#giveUp(tag, data, untold, cause);
      return undefined;
    }
  }

  #giveUp(tag: string, data: Value, untold: Untold, cause: unknown): void {
    untold.delete(keyOf(tag, data));
    this.ports.onProblem(`the event ${tag} of a gateway that is gone cannot be stored`, cause);
  }

  #append(batch: readonly records.StoredEvent[], untold: Untold): Promise<void> {
    return this.ports.log.appendStorable(SENDER, batch, ({ tag, data }, cause) => {
      this.#giveUp(tag, data, untold, cause);
    });
  }

  /**
   * Returns that others have stored are looked for as well: a job may have been another gateway's before, and this one gone before it had said
   * what that one had left.
   */
  async *#dueOf(left: Left): AsyncGenerator<Due> {
    const { cache, jobs: events } = this.ports;
    for await (const { jobs, returns } of cache.secondsLeft(left.jobs)) {
      const since = await this.#sinceOf(left.instance, left);
      for (const record of jobs) if (record.started >= since) yield* dueSince(record.started, events.startOf(record));
      for (const { record, stored, by } of returns) {
        const isOld = by === left.instance || stored.at <= this.ports.now() - TOLD_MS;
        if (isOld && stored.at >= (await this.#sinceOf(by ?? left.instance, left)))
          yield* dueSince(stored.at, events.returnOf(record, stored));
      }
    }
  }

  async #sinceOf(gateway: string, { since }: Left): Promise<number> {
    const known = since.get(gateway) ?? sinceOf(await this.#saidLast(gateway));
    since.set(gateway, known);
    return known;
  }

  /** Milliseconds since 1970; undefined: nothing is kept of what that gateway said. */
  async #saidLast(gateway: string): Promise<number | undefined> {
    const last = (await this.ports.log.lastBatch(`gw-${gateway}`))?.events.at(-1);
    return last === undefined ? undefined : timeOf(last.stamp);
  }
}

function sinceOf(saidAt = 0): number {
  return saidAt - STORING_MS;
}

function dueSince(since: number, events: readonly Told[]): readonly Due[] {
  return events.map((event) => ({ ...event, since }));
}

function isGateways(id: string): boolean {
  return id.startsWith('gw-') || id.startsWith(`${SENDER}.`);
}

/** Names an event. With its jid, since the tag of an event that a returner asks for does not name the job. */
function keyOf(tag: string, data: Value): string {
  const jid = isMap(data) ? data['jid'] : undefined;
  return typeof jid === 'string' ? `${tag}\n${jid}` : tag;
}
