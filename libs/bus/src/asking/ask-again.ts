/**
 * A question to the acl-services, of which the broker lets one hear it: that one may stand still. While nobody answers, the very same
 * question is asked again, and those who were asked before are still listened to.
 *
 * Only for what is done once however often it is asked, or what changes nothing.
 */
import { err, NOT_NOW, ok, type Result } from '@natrium/model';
import type { Body, Contract } from '@natrium/wire';
import type { Hearing, Question } from './asking.js';
import type { AskFailure } from './conversation.js';
import type { SealedBus } from './sealed-bus.js';

/** What one of them may say that another would not: its clock or its roster is behind. */
const ITS_OWN: readonly string[] = [...NOT_NOW, 'request_from_future', 'unknown_caller'];

/** Silence after which it is asked again, and then so often. */
export const SILENT_MS = 1500;

type Answer<A extends Contract> = Result<Body<A>, AskFailure>;

interface How<A extends Contract> {
  /** Of all of it, beside the time in which nobody was there to hear it. */
  readonly timeoutMs: number;
  /** Of the refusal that an answer is. */
  readonly codeOf: (body: Body<A>) => string | undefined;
}

/** Asks one of them and nobody else. */
export async function askOnce<Q extends Contract, A extends Contract>(
  bus: SealedBus,
  question: Question<Q>,
  answers: A,
  { timeoutMs }: How<A>,
): Promise<Answer<A>> {
  const answer = await bus.ask(question, answers, timeoutMs);
  return answer.ok ? ok(answer.value.body) : answer;
}

export function askAgain<Q extends Contract, A extends Contract>(
  bus: SealedBus,
  question: Question<Q>,
  answers: A,
  how: How<A>,
): Promise<Answer<A>> {
  return new Promise((resolve) => {
    new AskingAgain((timeoutMs, hear) => bus.converse(question, answers, timeoutMs, hear), how, resolve).start();
  });
}

/** One question, and what has come of it. */
interface Asked<A extends Contract> {
  /** undefined while it may still be answered. */
  answer: Answer<A> | undefined;
  hangUp: () => void;
}

class AskingAgain<A extends Contract> {
  readonly #asked: Asked<A>[] = [];
  readonly #begun = performance.now();
  #again: NodeJS.Timeout | undefined;

  constructor(
    private readonly askOne: (timeoutMs: number, hear: Hearing<A>) => () => void,
    private readonly how: How<A>,
    private readonly onEnd: (answer: Answer<A>) => void,
  ) {}

  start(): void {
    this.#ask();
    // The questions keep the process alive, as long as the bus is open.
    this.#again = setInterval(() => {
      this.#askAnother();
    }, SILENT_MS).unref();
  }

  /** To those who are known by then it may fit into no message. */
  #askAnother(): void {
    try {
      this.#ask();
    } catch {
      this.#askNoMore();
    }
  }

  #ask(): void {
    const left = this.how.timeoutMs - (performance.now() - this.#begun);
    if (left <= 0) return;
    const asked: Asked<A> = { answer: undefined, hangUp: () => undefined };
    asked.hangUp = this.askOne(left, {
      onAnswer: (body) => {
        this.#hear(asked, ok(body));
        return 'done';
      },
      onFailure: (failure) => {
        this.#hear(asked, err(failure));
      },
      onSentAgain: () => {
        this.#again?.refresh();
      },
    });
    this.#asked.push(asked);
  }

  /** An outcome counts at once. Who only says that it is not his counts when nobody else may still tell one. */
  #hear(asked: Asked<A>, answer: Answer<A>): void {
    asked.answer = answer;
    // Whoever is asked after that would say the same.
    if (answer.ok || answer.error !== 'timeout') this.#askNoMore();
    if (this.#isOutcome(answer)) this.#end(answer);
    else if (this.#asked.every((one) => one.answer !== undefined)) this.#end(this.#verdict(answer));
  }

  #askNoMore(): void {
    clearInterval(this.#again);
    this.#again = undefined; // to refresh one that is cleared would start it
  }

  #end(answer: Answer<A>): void {
    this.#askNoMore();
    for (const { hangUp } of this.#asked) hangUp();
    this.onEnd(answer);
  }

  /** That it was begun says more than a silence, and a silence, of somebody who may do it later, more than that others did not. */
  #verdict(last: Answer<A>): Answer<A> {
    const told = this.#asked.map(({ answer }) => answer ?? last);
    const silent = told.find((answer) => !answer.ok && answer.error === 'timeout');
    const begun = told.find((answer) => this.#wasBegun(answer));
    if (silent !== undefined) return begun ?? silent;
    return told.find((answer) => answer.ok && !this.#wasBegun(answer)) ?? begun ?? last;
  }

  #isOutcome(answer: Answer<A>): boolean {
    if (!answer.ok) return false;
    const code = this.how.codeOf(answer.value);
    return !this.#wasBegun(answer) && !ITS_OWN.some((one) => one === code);
  }

  /** Somebody else has taken it. */
  #wasBegun(answer: Answer<A>): boolean {
    return answer.ok && this.how.codeOf(answer.value) === 'already_ran';
  }
}
