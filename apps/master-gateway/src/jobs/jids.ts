/**
 * The jids that this gateway mints. In each minute it uses jids that end in two digits of its own, which it has taken beforehand by creating
 * `<minute>.<digits>` in a store: so no two gateways mint the same jid, and no job waits for that.
 *
 * Spec: spec/envelope.md#durability, spec/wire.md#records.
 */
import { randomInt } from 'node:crypto';
import type { Store } from '@natrium/bus';
import { encode } from '@natrium/envelope';
import { type Jid, jidOf } from '@natrium/model';

/** The jids of one gateway lie so many microseconds apart; those of up to 99 others fit in between. */
const STEP = 100;
const MINUTE = 60_000_000;
const MINUTE_DIGITS = 12;
/** A minute is taken so long before it begins: a broker that takes no writes for a while holds nobody up. */
const AHEAD_MS = 45_000;
const LOOK_MS = 15_000;

export interface JidOptions {
  /** Stands in the store, for whoever looks who has taken the digits. */
  readonly instance: string;
  /** Milliseconds since 1970. */
  now(): number;
}

export class Jids {
  /** By minutes since 1970: the two digits, or their taking. */
  readonly #taken = new Map<number, Promise<number>>();
  #last = 0;
  readonly #timer: NodeJS.Timeout;

  private constructor(
    private readonly store: Pick<Store, 'create'>,
    private readonly options: JidOptions,
  ) {
    this.#timer = setInterval(() => {
      this.#takeAhead();
    }, LOOK_MS).unref();
  }

  /** Resolves when there are jids for now. */
  static async open(store: Pick<Store, 'create'>, options: JidOptions): Promise<Jids> {
    const jids = new Jids(store, options);
    await jids.#digitsOf(minuteOf(jids.#due()));
    jids.#takeAhead();
    return jids;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** One that is later than all before. @throws {Error} When those of its minute cannot be taken now. */
  async next(): Promise<Jid> {
    for (;;) {
      const minute = minuteOf(this.#due());
      const digits = await this.#digitsOf(minute);
      const due = this.#due(); // others have minted meanwhile, and time has passed
      if (minuteOf(due) !== minute) continue;
      this.#last = due;
      return jidOf(due + digits);
    }
  }

  /** Microseconds since 1970. */
  #due(): number {
    return Math.max(this.#last + STEP, Math.floor((this.options.now() * 1000) / STEP) * STEP);
  }

  #takeAhead(): void {
    const now = minuteOf(this.#due());
    for (const minute of this.#taken.keys()) if (minute < now) this.#taken.delete(minute);
    for (const minute of [now, minuteOf(this.#due() + AHEAD_MS * 1000)])
      void this.#digitsOf(minute).catch(() => undefined); // tried again, and whoever needs it is told
  }

  #digitsOf(minute: number): Promise<number> {
    const known = this.#taken.get(minute);
    if (known !== undefined) return known;
    const taking = this.#take(minute);
    this.#taken.set(minute, taking);
    taking.catch(() => this.#taken.delete(minute));
    return taking;
  }

  /** Tries the digits from a random one on: gateways that start at the same time do not all try the same. */
  async #take(minute: number): Promise<number> {
    const text = jidOf(minute * MINUTE).slice(0, MINUTE_DIGITS);
    const first = randomInt(STEP);
    for (let n = 0; n < STEP; n += 1) {
      const digits = (first + n) % STEP;
      const key = `${text}.${String(digits).padStart(2, '0')}`;
      if ((await this.store.create(key, encode(this.options.instance))) !== undefined) return digits;
    }
    throw new Error(`all jids of the minute ${text} are taken: there are ${String(STEP)} gateways or more`);
  }
}

function minuteOf(micros: number): number {
  return Math.floor(micros / MINUTE);
}
