/**
 * The returns of one job: who was asked, who has returned, who cannot. Only a minion that was asked may answer, once.
 *
 * A plain state machine: messages and time come in as values.
 */
import type { Absent, AbsentWhy } from '@natrium/model';

export type Heard = 'first' | 'again' | 'stranger';

interface Asked {
  readonly id: string;
  state: 'waiting' | 'returned' | AbsentWhy;
  sentence?: string;
}

export class Gathering {
  readonly #byKey = new Map<string, Asked>();
  #waiting: number;
  #ended = false;

  /** @param members Ids by identity key (hex): the key decides who answers, never an id in a message. */
  constructor(members: ReadonlyMap<string, string>) {
    for (const [key, id] of members) this.#byKey.set(key, { id, state: 'waiting' });
    this.#waiting = members.size;
  }

  /** The id under which `key` was asked. */
  idOf(key: string): string | undefined {
    return this.#byKey.get(key)?.id;
  }

  /** A minion answered. A late one counts as well, and one that was given up as not connected. */
  returned(key: string): Heard {
    const asked = this.#byKey.get(key);
    if (asked === undefined) return 'stranger';
    if (asked.state === 'returned') return 'again';
    if (asked.state === 'waiting') this.#waiting -= 1;
    asked.state = 'returned';
    return 'first';
  }

  hasReturned(key: string): boolean {
    return this.#byKey.get(key)?.state === 'returned';
  }

  /** A minion will not answer: it isn't there, or it refused the grant. */
  givenUp(key: string, why: AbsentWhy, sentence?: string): boolean {
    const asked = this.#byKey.get(key);
    if (asked?.state !== 'waiting') return false;
    asked.state = why;
    if (sentence !== undefined) asked.sentence = sentence;
    this.#waiting -= 1;
    return true;
  }

  /** Keys of those who are still waited for. */
  get silent(): readonly string[] {
    return [...this.#byKey].filter(([, { state }]) => state === 'waiting').map(([key]) => key);
  }

  /** Nobody is waited for any more. */
  get complete(): boolean {
    return this.#waiting === 0;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The gathering ends, because it is complete or its time is up: a minion that is still silent is still running. */
  end(): readonly Absent[] {
    this.#ended = true;
    return [...this.#byKey.values()].flatMap(({ id, state, sentence }) => {
      if (state === 'returned') return [];
      const why = state === 'waiting' ? 'running' : state;
      return [sentence === undefined ? { id, why } : { id, why, sentence }];
    });
  }
}
