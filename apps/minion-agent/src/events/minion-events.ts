/**
 * The bus of this host: its sockets, the functions of `event`, and what goes on to the master. An event tagged `fire_master`
 * is forwarded: as one, with its data in Salt's payload, or as a list of several.
 *
 * Spec: docs/event-bus.md#from-a-minion-to-the-master.
 */
import { join } from 'node:path';
import {
  EventProblem,
  LocalBus,
  type Listen,
  type Listening,
  minionSocketBase,
  minionTagProblem,
  NotStored,
  type Origin,
  serveJsonSocket,
  serveSaltSockets,
  sized,
  type UnixServer,
} from '@natrium/events';
import { isList, isMap, MAX_EVENT_VALUES, type Value, type ValueMap } from '@natrium/model';
import { type EventPort, NOT_KEPT } from '@natrium/modules';
import { within } from '@natrium/process';
import type { Logger } from 'pino';
import { type FiredEvent, valuesOf } from './event-lines.js';
import type { EventSpool } from './event-spool.js';

export interface MinionEventsOptions {
  readonly id: string;
  readonly sockDir: string;
  /** Salt's `hash_type`: a part of the names of its sockets. */
  readonly hashType: string;
  /** Another one after each start. */
  readonly instance: string;
  readonly spool: EventSpool;
  /** Largest event of this host. */
  readonly maxBytes: number;
  readonly log: Logger;
  readonly now: () => number;
  /** How long whoever fires at the master waits until the event is kept; {@link KEPT_MS} when missing. */
  readonly keptMs?: number;
}

const LOCAL = { kind: 'local', name: 'minion' } as const;
const FORWARD = 'fire_master';
/** Half of what a broker takes in a message (`max_payload`): a larger one would hold up all that is fired after it. */
const MAX_FORWARDED = 1 << 22;
/** Where neither the disk nor the master takes anything, a script hears so instead of waiting for ever. */
const KEPT_MS = 10_000;

interface Element {
  readonly tag: string;
  readonly data: ValueMap;
}

export class MinionEvents implements EventPort {
  readonly #bus: LocalBus;
  #servers: readonly UnixServer[] = [];
  #toldOfList = false;

  constructor(private readonly options: MinionEventsOptions) {
    this.#bus = new LocalBus(`ev-${options.instance}`, () => options.now());
  }

  async open(): Promise<void> {
    const { id, sockDir, hashType, instance, maxBytes, log } = this.options;
    const bus = this.#bus;
    const feed = {
      get cursor() {
        return bus.cursor;
      },
      subscribe: (listen?: Listen): Listening => bus.subscribe(listen),
      fire: (tag: string, data: ValueMap, origin: Origin) => this.#fire(tag, data, origin),
    };
    const onProblem = (problem: string, cause?: unknown) => {
      log.warn({ err: cause }, problem);
    };
    const common = { feed, origin: LOCAL, maxBytes, onProblem };
    this.#servers = [
      await serveSaltSockets({ ...common, base: minionSocketBase(sockDir, id, hashType) }),
      await serveJsonSocket({ ...common, instance, place: { path: join(sockDir, 'minion_event.sock') } }),
    ];
  }

  close(): void {
    for (const server of this.#servers) server.close();
    this.#bus.close();
  }

  fire(data: ValueMap, tag: string): Promise<void> {
    return this.#fire(tag, data, LOCAL);
  }

  /** @param load What else Salt's payload of it holds. */
  fireMaster(data: Value, tag: string, load: ValueMap = {}): Promise<boolean> {
    return this.#forward(tag, data, load);
  }

  async #fire(tag: string, data: ValueMap, origin: Origin): Promise<void> {
    this.#bus.tell(tag, sized(data, this.options.maxBytes), origin);
    if (tag.startsWith(FORWARD) && !(await this.#forwardPayload(data))) throw new NotStored(NOT_KEPT);
  }

  /** Salt's payload: `{data, tag, pretag}`, or `{events: [{data, tag}, …], pretag}`. */
  async #forwardPayload({ data = null, tag, events, pretag = null }: ValueMap): Promise<boolean> {
    if (isList(events) && events.length > 0) {
      // All are looked at before the first is kept: whoever hears a refusal may fire the list again.
      const elements = events.flatMap((event) => this.#elementsOf(event, pretag));
      const fired = elements.map(({ tag: one, data: told }) => this.#forwardable(one, told, null));
      const kept = await Promise.all(fired.map((event) => this.#keep(event)));
      return kept.every((is) => is);
    } else if (typeof tag === 'string' && tag !== '') {
      return this.#forward(tag, data ?? {}, { pretag });
    } else throw new EventProblem('fire_master takes {data, tag}, or {events: [{data, tag}, …]}');
  }

  /** As Salt: under its tag and, with a pretag, below that as well. */
  #elementsOf(element: Value, pretag: Value): readonly Element[] {
    const { tag, ...rest } = isMap(element) ? element : {};
    if (typeof tag !== 'string') throw new EventProblem('each element of fire_master’s events has a tag');
    const { data = null } = rest;
    const plain = 'data' in rest ? data : rest;
    if (!('data' in rest)) this.#tellOfList();
    const tags = typeof pretag === 'string' && pretag !== '' ? [tag, `${pretag}/${tag}`] : [tag];
    return tags.map((one) => ({ tag: one, data: isMap(plain) ? plain : { data: plain } }));
  }

  #tellOfList(): void {
    if (this.#toldOfList) return;
    this.#toldOfList = true;
    this.options.log.warn(
      'an element of fire_master’s events has no data; its other keys are taken for it. ' +
        'The form is {"events": [{"tag": "mytag", "data": {…}}, …]}',
    );
  }

  /** @returns false when it is not kept in time. */
  async #forward(tag: string, data: Value, load: ValueMap | null): Promise<boolean> {
    return this.#keep(this.#forwardable(tag, data, load));
  }

  /** @throws {EventProblem} When no master takes it from this minion. */
  #forwardable(tag: string, data: Value, load: ValueMap | null): FiredEvent {
    const { id, now } = this.options;
    const problem = minionTagProblem(id, tag);
    // The master refuses it as well; whoever fires it here shall hear why.
    if (problem !== undefined) throw new EventProblem(`the master takes no event ${tag} from this minion: ${problem}`);
    // As it will be on the master's bus: what cannot be sent or stored there would hold up all that is fired after it.
    const whole = load === null && isMap(data) ? data : { ...load, data };
    sized(whole, Math.min(this.options.maxBytes, MAX_FORWARDED));
    if (valuesOf({ data, load }) > MAX_EVENT_VALUES)
      throw new EventProblem(`an event for the master holds at most ${String(MAX_EVENT_VALUES)} values`);
    return { tag, data, load, stamp: now() };
  }

  async #keep(event: FiredEvent): Promise<boolean> {
    const { spool, keptMs = KEPT_MS } = this.options;
    const kept = await within(keptMs, spool.add(event));
    if (kept === false) throw new EventProblem('the spool of this minion is full; the event was dropped');
    return kept === true;
  }
}
