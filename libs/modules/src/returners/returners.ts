/**
 * The returners of one minion by name, and the one way to use them: behind each other, bounded, and never in a job's way.
 *
 * A name that nobody has and a returner that fails are logged and counted.
 */
import { messageOf, writeJson } from '@natrium/model';
import type { BaseContext } from '../loader/registry.js';
import type { Module } from '../loader/declaration.js';
import type { ReturnerContext, ReturnFacts, Returner } from './returner.js';

export interface ReturnersOptions {
  readonly context: Pick<ReturnerContext, 'id' | 'config'>;
  /** The names that `multi` stands for. */
  readonly multi: readonly string[];
  onProblem(
    sentence: string,
    about: { readonly jid: string; readonly returner: string; readonly failures: number },
  ): void;
}

/** Returns that wait for their returner; more than these are dropped, which counts as a failure. */
const MAX_WAITING = 10_000;
/** And no more than this of them, as JSON. */
const MAX_WAITING_BYTES = 64 << 20;
const AT_ONCE = 4;
const MULTI = 'multi';
/** The function of a user's own module. */
const TAKES = 'returner';

interface Waiting {
  readonly bytes: number;
  readonly take: () => Promise<void>;
}

export class Returners {
  #own: ReadonlyMap<string, Returner> = new Map();
  #useless: ReadonlySet<string> = new Set();
  readonly #builtin: ReadonlyMap<string, Returner>;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  readonly #stop = new AbortController();
  readonly #atRest: (() => void)[] = [];
  #busy = 0;
  #failures = 0;

  constructor(
    builtin: readonly Returner[],
    private readonly options: ReturnersOptions,
  ) {
    this.#builtin = new Map(builtin.map((one) => [one.name, one]));
  }

  get names(): readonly string[] {
    const all = new Set([MULTI, ...this.#builtin.keys(), ...this.#own.keys()]);
    return [...all].filter((name) => !this.#useless.has(name)).sort();
  }

  /** Returns that no returner took, since the start. */
  get failures(): number {
    return this.#failures;
  }

  /** The user's own take the places of built-in ones of their names, also one that cannot take anything. */
  use(own: readonly Module<ReturnerContext>[]): void {
    this.#useless = new Set(own.flatMap(({ name, functions }) => (functions[TAKES] === undefined ? [name] : [])));
    this.#own = new Map(own.map((module) => [module.name, ownReturner(module)]));
  }

  /** @param names As asked: one, or several with commas. @returns Those that name nobody who could take a return. */
  unknown(names: string): readonly string[] {
    const known = this.names;
    return wordsOf(names).filter((word) => !known.includes(word));
  }

  /** @param names As asked: one, or several with commas. Returns at once. */
  hand(names: string, ret: ReturnFacts, options: ReturnerContext['options']): void {
    // What need not wait is not measured.
    const bytes = this.#busy < AT_ONCE ? 0 : writeJson({ ...ret }).length;
    for (const name of this.#meant(names, ret.jid)) {
      const returner = this.#own.get(name) ?? this.#builtin.get(name);
      if (returner === undefined) this.#failed('there is no returner of this name', ret.jid, name);
      else if (this.#isFull(bytes)) this.#failed('too many returns wait for it', ret.jid, name);
      else this.#wait({ bytes, take: () => this.#take(returner, ret, options) });
    }
    this.#next();
  }

  /** Resolves when nothing waits and nothing is being taken. */
  async settled(): Promise<void> {
    if (this.#busy === 0) return;
    await new Promise<void>((resolve) => this.#atRest.push(resolve));
  }

  /** What still waits is not taken any more. */
  close(): void {
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#stop.abort('the agent ends');
  }

  #meant(names: string, jid: string): ReadonlySet<string> {
    const words = wordsOf(names);
    const { multi } = this.options;
    if (words.includes(MULTI) && multi.length === 0) this.#failed('multi_returner names none', jid, MULTI);
    return new Set(words.flatMap((word) => (word === MULTI ? multi : [word])));
  }

  #isFull(bytes: number): boolean {
    return this.#waiting.length >= MAX_WAITING || this.#waitingBytes + bytes > MAX_WAITING_BYTES;
  }

  #wait(one: Waiting): void {
    this.#waiting.push(one);
    this.#waitingBytes += one.bytes;
  }

  #next(): void {
    while (this.#busy < AT_ONCE) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#waitingBytes -= next.bytes;
      this.#busy += 1;
      void next.take().finally(() => {
        this.#busy -= 1;
        this.#next();
      });
    }
    if (this.#busy === 0) for (const told of this.#atRest.splice(0)) told();
  }

  async #take(returner: Returner, ret: ReturnFacts, options: ReturnerContext['options']): Promise<void> {
    try {
      await returner.take(ret, { ...this.options.context, jid: ret.jid, options, signal: this.#stop.signal });
    } catch (error) {
      this.#failed(messageOf(error), ret.jid, returner.name);
    }
  }

  #failed(why: string, jid: string, returner: string): void {
    this.#failures += 1;
    this.options.onProblem(`a return was not taken by the returner ${returner}: ${why}`, {
      jid,
      returner,
      failures: this.#failures,
    });
  }
}

/** A comma too many names nobody. */
function wordsOf(names: string): readonly string[] {
  return names.split(',').map((word) => word.trim()).filter((word) => word !== ''); // prettier-ignore
}

/** A module of the user with a function `returner`, which gets the return as `ret`. */
function ownReturner<C extends BaseContext>({
  name,
  functions,
}: Module<C>): {
  readonly name: string;
  take(ret: ReturnFacts, context: C): Promise<void>;
} {
  return {
    name,
    take: async (ret, context) => {
      const spec = functions[TAKES];
      if (spec === undefined) throw new Error(`it has no function ${TAKES}`);
      await spec.run({ ret: { ...ret } }, context, {
        list: () => [],
        doc: () => undefined,
        params: () => undefined,
        isOwn: () => false,
      });
    },
  };
}
