/** When something goes wrong, and how: the part of a schedule that is drawn as the job goes on. */
import type { Dice } from './dice.js';

/** How one question to the store goes, in ms. */
export interface Course {
  /** After how long it comes into effect; undefined: never. */
  readonly appliesAfter: number | undefined;
  /** After how long from then on its answer is here; undefined: it is lost. */
  readonly answersAfter: number | undefined;
  /** After how long whoever asked gives up; undefined: it is answered before. */
  readonly failsAfter: number | undefined;
}

const PATIENCE_MS = 5000;
const NEARLY_MS = 4900;

const answered = (appliesAfter: number, answersAfter: number): Course => ({
  ...{ appliesAfter, answersAfter },
  failsAfter: undefined,
});
const lost = (failsAfter: number, appliesAfter?: number): Course => ({
  ...{ appliesAfter, failsAfter },
  answersAfter: undefined,
});

/** What goes wrong, by the words of an operation: `create j.<place>`, `acl`, `message`. */
const FOCUSES: readonly RegExp[] = [
  ...[/(?:)/, /(?:)/, / j\./, /^(create|update|delete) j| j\.|acl/, / g\./, /acl/, /^get|list|follow/],
  ...[/message/, / o\./, /create j|acl/, /update j/, / r\./],
];
/** Of the writes and decisions that a job begins with. */
const HOT: readonly RegExp[] = [
  ...[/ j\.|acl/, / j\.| g\.|acl/, /(create|update|delete) j|acl/, / j\.| o\./, /create|update|delete/],
  /put|create|update|delete|acl|message/,
];

/** Of the operations while there is trouble, a fault may come with one of the first so many. */
const FIRST = 40;

export class Trouble {
  readonly isHot: boolean;
  readonly #chance: number;
  readonly #focus: RegExp;
  readonly #atOperation = new Map<number, () => void>();
  #operations = 0;

  constructor(
    private readonly dice: Dice,
    private readonly isOver: () => boolean,
  ) {
    this.isHot = dice.chance(0.5);
    this.#chance = dice.oneOf(this.isHot ? [0.3, 0.5, 0.7] : [0, 0.1, 0.25, 0.5, 0.8]);
    this.#focus = dice.oneOf(this.isHot ? HOT : FOCUSES);
  }

  toString(): string {
    return `${this.#chance} of ${String(this.#focus)}`;
  }

  /** Runs it with one of the first operations. */
  atSomeOperation(run: () => void): void {
    this.#atOperation.set(this.dice.from(1, FIRST), run);
  }

  /** Whether an operation goes wrong. */
  strikes(what: string): boolean {
    if (this.isOver()) return false;
    this.#operations += 1;
    const fault = this.#atOperation.get(this.#operations);
    this.#atOperation.delete(this.#operations);
    fault?.();
    return this.#focus.test(what) && this.dice.chance(this.#chance);
  }

  /** @param cutMs For how long whoever asks is cut off yet. */
  courseOf(what: string, isWrite: boolean, cutMs: number): Course {
    const { dice } = this;
    const quick = cutMs + dice.from(1, 12);
    if (!this.strikes(what)) return quick < PATIENCE_MS ? answered(quick, dice.from(1, 5)) : lost(PATIENCE_MS, quick);
    return isWrite ? this.#writeCourse(cutMs) : this.#readCourse(cutMs);
  }

  #writeCourse(cutMs: number): Course {
    const { dice } = this;
    const slow = dice.from(1, NEARLY_MS);
    const quick = dice.from(1, 300);
    return dice.oneOf([
      () => answered(cutMs + slow, dice.from(1, PATIENCE_MS - 50 - slow)),
      () => answered(cutMs + slow, dice.from(1, PATIENCE_MS - 50 - slow)),
      () => answered(cutMs + quick, dice.from(4000, PATIENCE_MS - 50 - quick)),
      () => lost(dice.from(PATIENCE_MS, 5600), cutMs + slow),
      () => lost(dice.from(PATIENCE_MS, 5600), cutMs + slow),
      () => lost(PATIENCE_MS, cutMs + dice.from(PATIENCE_MS, 12_000)),
      () => lost(dice.oneOf([PATIENCE_MS, PATIENCE_MS, 4100])),
      () => lost(dice.oneOf([PATIENCE_MS, PATIENCE_MS, 4100])),
    ])();
  }

  #readCourse(cutMs: number): Course {
    const { dice } = this;
    return dice.oneOf([
      () => answered(cutMs + dice.from(1, NEARLY_MS), dice.from(1, 5)),
      () => answered(cutMs + dice.from(1, 100), dice.from(1000, 4800)),
      () => lost(PATIENCE_MS),
    ])();
  }
}
