/**
 * The master's event bus as the HTTP API's listeners take it: each event with the owner of the job or run that it tells of. That of a
 * job the job cache knows; of a run its events say it.
 */
import type { EventFeed as MasterFeed, Heard, Listening, Origin } from '@natrium/events';
import { EventProblem } from '@natrium/events';
import type { Principal, ValueMap } from '@natrium/model';
import { AtOnce } from '../at-once.js';
import type { EventFeed, FeedEvent, Subscription } from '../event-feed.js';
import { askerOfRun } from '../events/job-events.js';
import { Readings } from '../jobs/readings.js';

const JOB_TAG = /^(?:salt\/job\/)?(\d{20})(?:\/|$)/;
/** Jobs whose owners are remembered. */
const REMEMBERED = 2000;
/** A young job of another gateway's is found when that has written its grant, in a third of a second: so hundreds each second are. */
const LOOKS_AT_ONCE = 100;

export class HttpFeed implements EventFeed {
  readonly #plain = new WeakMap<Heard, FeedEvent>();
  readonly #named = new WeakMap<Heard, Promise<FeedEvent>>();
  readonly #looking = new AtOnce(LOOKS_AT_ONCE);
  readonly #owners: Readings<Principal | undefined>;

  constructor(
    private readonly feed: MasterFeed,
    ownerOf: (jid: string) => Promise<Principal | undefined>,
  ) {
    this.#owners = new Readings((jid) => this.#looking.run(() => ownerOf(jid)), { most: REMEMBERED });
  }

  fire(tag: string, data: ValueMap, origin: Origin): Promise<void> {
    return this.feed.fire(tag, data, origin);
  }

  async *subscribe({ from = 'now', namesOwners = always, signal }: Subscription): AsyncIterable<FeedEvent> {
    const listening = this.#listen(from);
    const close = () => {
      listening.close();
    };
    signal?.addEventListener('abort', close, { once: true });
    try {
      if (signal?.aborted === true) return;
      for (;;) {
        const heard = await listening.take();
        if (heard === undefined) return;
        // The owners of all that waits are looked for at once: one after the other, the jobs of a busy neighbour would hold up every listener.
        const told = heard.map((event) => (namesOwners() ? this.#tellNamed(event) : this.#tell(event)));
        for (const event of told) yield await event;
      }
    } finally {
      signal?.removeEventListener('abort', close);
      close();
    }
  }

  /** A cursor that is none of this bus is what a client made up: it hears what comes. */
  #listen(from: string): Listening {
    if (from === 'now') return this.feed.subscribe({ from });
    try {
      return this.feed.subscribe({ from: { cursor: from } });
    } catch (cause) {
      if (cause instanceof EventProblem) return this.feed.subscribe({ from: 'now' });
      throw cause;
    }
  }

  #tell(heard: Heard): FeedEvent {
    const known = this.#plain.get(heard);
    if (known !== undefined) return known;
    const { cursor, tag, data, stamp } = heard;
    const told = { cursor, tag, stamp, data: { ...data, _stamp: stamp } };
    this.#plain.set(heard, told);
    return told;
  }

  #tellNamed(heard: Heard): Promise<FeedEvent> {
    const known = this.#named.get(heard);
    if (known !== undefined) return known;
    const told = this.#withOwner(heard);
    this.#named.set(heard, told);
    return told;
  }

  async #withOwner(heard: Heard): Promise<FeedEvent> {
    const told = this.#tell(heard);
    const jid = heard.origin.kind === 'service' ? JOB_TAG.exec(heard.tag)?.[1] : undefined;
    // A reading that fails hides these events from their owner; the job's next event is looked for anew.
    const owner = jid === undefined ? askerOfRun(heard) : await this.#owners.find(jid).catch(() => undefined);
    return owner === undefined ? told : { ...told, owner };
  }
}

function always(): boolean {
  return true;
}
