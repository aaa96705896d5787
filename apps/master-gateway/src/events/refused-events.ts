/**
 * Events that a minion may not fire, as the log and the audit hear of them. A minion sends thousands of messages a second, and the audit is
 * kept for ever: beyond a budget of its own, its refused events are told together, with their number.
 *
 * Spec: docs/event-bus.md#who-may-fire-what.
 */
import { toHex } from '@natrium/envelope';
import { Budget } from '@natrium/flow';

export interface RefusedEvents {
  /** Of the minion, and its id. */
  readonly key: Uint8Array;
  readonly id: string;
  /** Of the first of them, and why it was refused. */
  readonly tag: string;
  readonly problem: string;
  readonly count: number;
}

/** Of each minion: sixty messages at once, then one a second. */
const LIMITS = { rate: 1, burst: 60 };
/** How long at most the number of the others is kept back. */
const REST_MS = 10_000;

export class TellingRefused {
  readonly #budget = new Budget(LIMITS);
  /** What is not told yet, by the key of its minion. */
  readonly #untold = new Map<string, RefusedEvents>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly tell: (refused: RefusedEvents) => void,
    private readonly now: () => number,
  ) {}

  note(refused: RefusedEvents): void {
    const key = toHex(refused.key);
    const before = this.#untold.get(key);
    const all = before === undefined ? refused : { ...before, count: before.count + refused.count };
    if (this.#budget.take(key, this.now())) {
      this.#untold.delete(key);
      this.tell(all);
      return;
    }
    this.#untold.set(key, all);
    this.#timer ??= setTimeout(() => {
      this.tellRest();
    }, REST_MS).unref();
  }

  /** Tells all that is kept back. */
  tellRest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const rest = [...this.#untold.values()];
    this.#untold.clear();
    for (const one of rest) this.tell(one);
  }
}
