/**
 * A host that was told to slow down does so by itself: its scripts go on asking, and each refusal that a gateway has to open,
 * make and seal would cost the other minions.
 *
 * After that word nothing goes out for a second. While scripts go on asking as if nothing had been said, one request a
 * second goes out, whoever asks first, for five minutes at most: all of them at once would be the next flood. Then one request
 * goes out at a time, until no gateway has said it for ten seconds. Who has to wait longer is told the same word here.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Budget } from '@natrium/flow';
import { type Refusal, refusal } from '@natrium/model';
import type { MasterPort } from '@natrium/modules';

const REST_MS = 1000;
const LONGEST_REST_MS = 300_000;
/** One goes out meanwhile, this long after the one before it: scripts that do heed the word get through, and other minions do not notice. */
const MEANWHILE_MS = 1000;
/** Of scripts that heard it and ask again: more than these a second ask as if nothing had been said. */
const ASKED_AGAIN = { rate: 5, burst: 5 };
/** After a rest. */
const CAREFUL_MS = 9000;
/** One that is under way for longer holds up nobody: it waits for its minions, and costs nothing. */
const UNDER_WAY_MS = 1000;
/** Told at once, a script that asks again at once would only be faster. */
const TELL_MS = 500;

const REFUSED = {
  type: 'refused',
  refusal: refusal('slow_down', 'this minion asks too much; wait a moment and ask again'),
} as const;

type Answer = { readonly type: 'refused'; readonly refusal: Refusal } | { readonly type: string };

/** @param now Milliseconds of a clock that only rises. */
export function holdingBack(port: MasterPort, now: () => number = () => performance.now()): MasterPort {
  const restraint = new Restraint(now);
  return {
    ...port,
    publish: (ask) => restraint.pass(() => port.publish(ask)),
    runner: (ask) => restraint.pass(() => port.runner(ask)),
  };
}

class Restraint {
  #restBegan = Number.NEGATIVE_INFINITY;
  #restEnds = Number.NEGATIVE_INFINITY;
  #nextMeanwhile = Number.NEGATIVE_INFINITY;
  #askedAgain = new Budget(ASKED_AGAIN);
  #sentAt = Number.NEGATIVE_INFINITY;
  #underWay = 0;

  constructor(private readonly now: () => number) {}

  async pass<A extends Answer>(send: () => Promise<A>): Promise<A | typeof REFUSED> {
    if (this.#mustWait()) {
      await pause(TELL_MS);
      return REFUSED;
    }
    this.#sentAt = this.now();
    this.#underWay += 1;
    try {
      const answer = await send();
      if ('refusal' in answer && answer.refusal.code === 'slow_down') this.#rest();
      return answer;
    } finally {
      this.#underWay -= 1;
    }
  }

  #rest(): void {
    const now = this.now();
    // Those that were under way together begin one rest, not one each.
    if (now >= this.#restEnds) {
      this.#restBegan = now;
      this.#askedAgain = new Budget(ASKED_AGAIN);
    }
    this.#restEnds = now + REST_MS;
    this.#nextMeanwhile = now + REST_MS;
  }

  #mustWait(): boolean {
    const now = this.now();
    if (now < this.#restEnds) {
      if (!this.#askedAgain.take('scripts', now)) this.#restEnds = this.#prolonged(now);
      if (now < this.#nextMeanwhile) return true;
      this.#nextMeanwhile = now + MEANWHILE_MS;
      return false;
    }
    const careful = now < this.#restEnds + CAREFUL_MS;
    return careful && this.#underWay > 0 && now - this.#sentAt < UNDER_WAY_MS;
  }

  #prolonged(now: number): number {
    return Math.max(this.#restEnds, Math.min(now + REST_MS, this.#restBegan + LONGEST_REST_MS));
  }
}
