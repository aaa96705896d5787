/** The master as whoever asks it hears it: one conversation for each time that it was asked, and the test says what comes back. */
import type { AskFailure, Hearing, SealedBus } from '@natrium/bus';
import type { KnownParty } from '@natrium/envelope';
import type { Body, Contract } from '@natrium/wire';

interface Conversation<C extends Contract> {
  readonly hear: Hearing<C>;
  /** Its silence; an answer that others follow begins it anew. */
  readonly timer: NodeJS.Timeout;
}

export class AskedBus<C extends Contract> {
  readonly #asked: Conversation<C>[] = [];
  /** To be handed to what is tested. */
  readonly bus: SealedBus;

  constructor() {
    const converse = (_question: unknown, _answers: unknown, silentMs: number, hear: Hearing<C>) => {
      const timer = setTimeout(() => {
        hear.onFailure('timeout');
      }, silentMs);
      this.#asked.push({ hear, timer });
      return () => {
        clearTimeout(timer);
      };
    };
    this.bus = { converse } as unknown as SealedBus;
  }

  get times(): number {
    return this.#asked.length;
  }

  says(body: Body<C>, to: number): void {
    const asked = this.#asked[to];
    if (asked?.hear.onAnswer(body, undefined as unknown as KnownParty) === 'more') asked.timer.refresh();
    else clearTimeout(asked?.timer);
  }

  /** Nobody had heard it until now. */
  isSentAgain(of: number): void {
    this.#asked[of]?.timer.refresh();
    this.#asked[of]?.hear.onSentAgain?.();
  }

  fails(failure: AskFailure, of: number): void {
    clearTimeout(this.#asked[of]?.timer);
    this.#asked[of]?.hear.onFailure(failure);
  }
}
