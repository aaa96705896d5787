/**
 * The master's event bus as the HTTP API's listeners take it: each event with the owner of the job that it tells of, which the
 * job cache knows. Of runs nobody is named, so only those who may see everything hear of them.
 */
import type { EventFeed as MasterFeed, Heard, Listening, Origin } from '@natrium/events';
import { EventProblem } from '@natrium/events';
import type { Principal, ValueMap } from '@natrium/model';
import type { EventFeed, FeedEvent, Subscription } from '../event-feed.js';
import { Readings } from '../readings.js';

const JOB_TAG = /^(?:salt\/job\/)?(\d{20})(?:\/|$)/;
/** Jobs whose owners are remembered. */
const REMEMBERED = 2000;

export class HttpFeed implements EventFeed {
  readonly #told = new WeakMap<Heard, Promise<FeedEvent>>();
  readonly #owners: Readings<Principal | undefined>;

  constructor(
    private readonly feed: MasterFeed,
    ownerOf: (jid: string) => Promise<Principal | undefined>,
  ) {
    this.#owners = new Readings(ownerOf, { most: REMEMBERED });
  }

  fire(tag: string, data: ValueMap, origin: Origin): Promise<void> {
    return this.feed.fire(tag, data, origin);
  }

  async *subscribe({ from = 'now', signal }: Subscription): AsyncIterable<FeedEvent> {
    const listening = this.#listen(from);
    const close = () => {
      listening.close();
    };
    signal?.addEventListener('abort', close, { once: true });
    try {
      if (signal?.aborted === true) return;
      for await (const heard of listening) yield await this.#tell(heard);
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

  #tell(heard: Heard): Promise<FeedEvent> {
    const known = this.#told.get(heard);
    if (known !== undefined) return known;
    const told = this.#made(heard);
    this.#told.set(heard, told);
    return told;
  }

  async #made({ cursor, tag, data, stamp, origin }: Heard): Promise<FeedEvent> {
    const jid = origin.kind === 'service' ? JOB_TAG.exec(tag)?.[1] : undefined;
    // A reading that failed hides this event from the owner, and says nothing to the job's next one.
    const owner = jid === undefined ? undefined : await this.#owners.find(jid).catch(() => undefined);
    return { cursor, tag, stamp, data: { ...data, _stamp: stamp }, ...(owner === undefined ? {} : { owner }) };
  }
}
