/** The bus of one host: what is fired here is heard here. The last events are kept in memory, for listeners that come back. */
import type { ValueMap } from '@natrium/model';
import { cursorText, readCursor } from '../event/cursor.js';
import { sizeOf, type Heard, type Origin, stampOf, withoutStamp } from '../event/event.js';
import { tagProblem } from '../event/tags.js';
import { EventProblem, type EventFeed, type Listen, type Listening } from './bus.js';
import { Members } from './members.js';
import { gapEvent } from './outlet.js';
import { type Sized, sized } from './sized.js';

const MAX_EVENTS = 1000;
const MAX_BYTES = 8 << 20;

export class LocalBus implements EventFeed {
  readonly #members = new Members();
  readonly #kept: Heard[] = [];
  #bytes = 0;
  #number = 0;

  constructor(
    /** Names this bus in its events' ids; another one after each start. */
    private readonly name: string,
    private readonly now: () => number,
  ) {}

  get cursor(): string {
    return cursorText(this.#number, 0, new Map([[this.name, 0]]));
  }

  subscribe(listen: Listen = {}): Listening {
    const made = this.#members.make(listen);
    if (!made.ok) throw new EventProblem(made.error);
    const member = made.value;
    for (const event of this.#missed(listen.from ?? 'now')) member.offer(event);
    if (listen.until === 'now') member.end(this.cursor);
    else this.#members.add(member, this.cursor);
    return member.outlet;
  }

  fire(tag: string, data: ValueMap, origin: Origin): Promise<void> {
    this.tell(tag, sized(data, Number.POSITIVE_INFINITY), origin);
    return Promise.resolve();
  }

  /** @throws {EventProblem} When the tag is none. */
  tell(tag: string, { data, bytes }: Sized, origin: Origin): Heard {
    const problem = tagProblem(tag);
    if (problem !== undefined) throw new EventProblem(problem);
    this.#number += 1;
    const event: Heard = {
      tag,
      data: withoutStamp(data),
      stamp: stampOf(this.now()),
      origin,
      cursor: this.cursor,
      id: `${this.name}.${String(this.#number)}`,
      bytes,
    };
    this.#keep(event, bytes);
    this.#members.tell(event);
    this.#members.passed(this);
    return event;
  }

  close(): void {
    this.#members.close();
  }

  #keep(event: Heard, bytes: number): void {
    this.#kept.push(event);
    this.#bytes += bytes;
    while (this.#kept.length > MAX_EVENTS || (this.#bytes > MAX_BYTES && this.#kept.length > 1)) {
      const oldest = this.#kept.shift();
      if (oldest !== undefined) this.#bytes -= sizeOf(oldest);
    }
  }

  #missed(from: NonNullable<Listen['from']>): readonly Heard[] {
    if (from === 'now') return [];
    if (from === 'start') return this.#kept;
    if ('time' in from) return this.#kept.filter(({ stamp }) => stamp >= stampOf(from.time));
    const cursor = readCursor(from.cursor);
    if (cursor === undefined) throw new EventProblem(`${from.cursor} is no cursor of this bus`);
    const first = this.#number - this.#kept.length;
    const gone = { stamp: stampOf(this.now()), cursor: cursorText(first, 0, new Map([[this.name, 0]])) };
    // A bus that has begun anew since then has another name, and nothing of what was.
    if (!cursor.ahead.has(this.name)) return [gapEvent({ why: 'this bus has started anew' }, gone), ...this.#kept];
    const later = this.#kept.slice(Math.max(0, cursor.sequence - first));
    const lost = first - cursor.sequence;
    return lost <= 0 ? later : [gapEvent({ dropped: lost, why: 'no longer kept' }, gone), ...later];
  }
}
