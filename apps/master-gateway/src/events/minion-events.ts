/**
 * Events of minions come in: who fired them is what the envelope proved, whatever they say. What a minion may not fire is
 * refused, recorded, and never on the bus; the rest is stored once, in the order of its numbers.
 *
 * Spec: docs/event-bus.md#who-may-fire-what, spec/envelope.md#durability.
 */
import { BACK_MS, type Listening, type Opened } from '@natrium/bus';
import { fp, toHex } from '@natrium/envelope';
import type { RoleLink } from '@natrium/edge';
import {
  type EventLog,
  GAP_TAG,
  type JournaledBus,
  measured,
  minionTagProblem,
  stampOf,
  withoutStamp,
} from '@natrium/events';
import { isMap, type Value, type ValueMap } from '@natrium/model';
import { type Body, contracts, type records } from '@natrium/wire';
import type { Logger } from 'pino';
import { type RefusedEvents, TellingRefused } from './refused-events.js';

type Events = Body<typeof contracts.events>;
type Fired = Events['events'][number];

interface Refused {
  readonly event: Fired;
  readonly problem: string;
}

/** Minions by their key, hexadecimal. */
export interface Senders {
  /** undefined: not accepted. */
  idOf(key: string): string | undefined;
  /** Whether it may send one more message; takes that from its budget. */
  mayTell(key: string): boolean;
  /** Takes from its budget what so many bytes cost that are stored for it. */
  toldBytes(key: string, bytes: number): void;
}

const NOTE_MS = 5000;
/** Bytes of the id, the tag and the rest of Salt's payload, at most. They are allowed beyond the limit, since the minion's agent did not count them. */
const ADDED = 4096;

export class MinionEvents {
  #overhearing: Listening | undefined;
  readonly #refused = new TellingRefused(
    (refused) => {
      this.#tellRefused(refused);
    },
    () => this.link.clock.own(),
  );

  constructor(
    private readonly link: RoleLink,
    private readonly log: EventLog,
    private readonly bus: JournaledBus,
    private readonly senders: Senders,
    private readonly logger: Logger,
  ) {
    bus.whenListened((isAny) => {
      this.#overhear(isAny);
    });
  }

  /** The answer is the acknowledgement; a stranger hears nothing, nor does who sends too much: its agent asks again in a while. */
  async handle({
    body,
    party,
  }: Opened<typeof contracts.events>): Promise<Body<typeof contracts.eventsStored> | undefined> {
    const { key } = party.owner;
    const id = this.senders.idOf(toHex(key));
    if (id === undefined || !this.senders.mayTell(toHex(key))) return undefined;
    const { first, dropped, events } = body;
    const sender = fp(key);
    const { taken, sizes, refused } = this.#checked(id, first, events);
    this.senders.toldBytes(toHex(key), bytesOf(taken, sizes));
    const [one] = refused;
    if (one !== undefined)
      this.#refused.note({ key, id, tag: one.event.tag, problem: one.problem, count: refused.length });
    const stored = dropped === 0 ? taken : [this.#gap(id, first - 1, dropped), ...taken];
    if (stored.length === 0) return { through: Math.max(first + events.length - 1, await this.log.lastOf(sender)) };
    return { through: await this.log.append(sender, stored, first + events.length - 1) };
  }

  /** Whichever gateway stores them, the listeners of this one need not wait for that. */
  #overhear(isAny: boolean): void {
    void this.#overhearing?.close();
    const { link } = this;
    const read = ({ body, party }: Pick<Opened<typeof contracts.events>, 'body' | 'party'>): void => {
      const { key } = party.owner;
      const id = this.senders.idOf(toHex(key));
      const { first, dropped, events } = body;
      // A stamp that is too late is capped, by each gateway to another time: such events wait until they are stored.
      const latest = this.#latest();
      const isPlain =
        dropped === 0 &&
        Number.isSafeInteger(first + events.length) &&
        events.every(({ stamp }) => isTime(stamp) && stamp <= latest);
      if (id !== undefined && isPlain) this.#tellEarly(fp(key), id, first, events);
    };
    const wants = (sender: string | undefined) => sender !== undefined && this.bus.hearsEarly(sender);
    this.#overhearing = isAny
      ? link.bus.overhear(link.subjects.up('*', 'event'), contracts.events, wants, read)
      : undefined;
  }

  #tellEarly(sender: string, id: string, first: number, events: readonly Fired[]): void {
    const { taken, sizes } = this.#checked(id, first, events);
    this.bus.tellEarly(sender, first, taken, sizes);
  }

  /** What this minion may have fired, with its bytes, and what not. */
  #checked(id: string, first: number, events: readonly Fired[]) {
    const taken: records.StoredEvent[] = [];
    const sizes: number[] = [];
    const refused: Refused[] = [];
    const latest = this.#latest();
    const stampFor = ({ stamp }: Fired) => stampOf(isTime(stamp) ? Math.min(stamp, latest) : this.link.clock.now());
    events.forEach((event, index) => {
      const told = { ...asStored(id, first + index, event), stamp: stampFor(event) };
      const measure = minionTagProblem(id, event.tag) ?? this.#fitting(told.data);
      if (typeof measure === 'string') refused.push({ event, problem: measure });
      else {
        taken.push(told);
        sizes.push(measure);
      }
    });
    return { taken, sizes, refused };
  }

  /** No event is of a later time than clocks may differ by: databases have an end of time, and what is sorted by it a top. */
  #latest(): number {
    const { clock } = this.link;
    return clock.now() + clock.skewMs;
  }

  /** Its bytes, or why it is none that may be fired. */
  #fitting(data: ValueMap): number | string {
    const { maxBytes } = this.bus;
    const bytes = measured(data);
    if (typeof bytes === 'string' || bytes <= maxBytes + ADDED) return bytes;
    return `an event has at most ${String(maxBytes)} bytes (the master’s max_event_size)`;
  }

  #gap(id: string, number: number, dropped: number): records.StoredEvent {
    const data = { id, dropped, why: 'the spool of this minion was full' };
    const origin = { kind: 'service', name: 'event bus' } as const;
    return { number, tag: `${GAP_TAG}/minion/${id}`, data, stamp: stampOf(this.link.clock.now()), origin };
  }

  /** What is kept back of refused events is told. */
  close(): void {
    this.#refused.tellRest();
  }

  #tellRefused({ key, id, tag, problem, count }: RefusedEvents): void {
    const { link } = this;
    this.logger.warn({ minion: id, tag, count }, `an event was refused: ${problem}`);
    const ask = {
      contract: contracts.eventRefused,
      body: { key, tag, count },
      subject: link.subjects.svcAcl('event'),
      to: () => link.directory.role('acl'),
      backMs: BACK_MS,
    };
    void link.bus.ask(ask, contracts.noted, NOTE_MS).then((answer) => {
      if (!answer.ok) this.logger.error(`the audit did not hear of a refused event (${answer.error})`);
    });
  }
}

/** About how many bytes they have, counting what the sender can make long. @param sizes Bytes of their data. */
function bytesOf(events: readonly records.StoredEvent[], sizes: readonly number[]): number {
  return events.reduce((sum, { tag }, index) => sum + tag.length + (sizes[index] ?? 0), 0);
}

/** Whether it is a time that a stamp can be made of. */
function isTime(ms: number): boolean {
  return !Number.isNaN(new Date(ms).getTime());
}

function asStored(id: string, number: number, { tag, data, load }: Fired) {
  const origin = { kind: 'minion', name: id } as const;
  const plain = load === null ? asMap(data) : single(id, tag, data, load);
  return { number, tag, data: withoutStamp(plain), origin };
}

/** Salt's payload of a single event; the id is the one that was proved. */
function single(id: string, tag: string, data: Value, load: Value): ValueMap {
  return { pretag: null, ...(isMap(load) ? load : {}), id, cmd: '_minion_event', tag, data };
}

function asMap(data: Value): ValueMap {
  return isMap(data) ? data : { data };
}
