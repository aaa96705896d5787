/**
 * Time that stands still while anything is at work, and goes on to the next timer at once: minutes of the programs' time are milliseconds.
 *
 * The globals and modules of Node that tell the time or wait are replaced from `install` on until what that returns is called. A timer belongs
 * to the process in which it was set: it never comes where that is dead, and later where that stands still.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';

/** A process of the simulation. */
export interface Process {
  readonly isDead: boolean;
  /** Until when it is stopped; in the past where it is not. */
  readonly standsUntil: number;
}

interface Due {
  readonly at: number;
  run(): void;
}

type Run = (...given: unknown[]) => void;

/** 2026-11-18, in ms since 1970. */
const BEGIN = 1_795_000_000_000;
const realImmediate = setImmediate;

export class VirtualTime {
  /** The next one last. */
  #queue: Due[] = [];
  #now = 0;
  readonly #processes = new AsyncLocalStorage<Process>();

  /** In ms since the last reset. */
  get now(): number {
    return this.#now;
  }

  /** In ms since 1970. */
  get wall(): number {
    return BEGIN + Math.floor(this.#now);
  }

  /** The process that is at work. */
  get process(): Process | undefined {
    return this.#processes.getStore();
  }

  reset(): void {
    this.#queue = [];
    this.#now = 0;
  }

  /** Its timers are the process's. */
  within<T>(process: Process | undefined, run: () => T): T {
    return process === undefined ? this.#processes.exit(run) : this.#processes.run(process, run);
  }

  /** Of the world, whichever process asks for it. */
  after(ms: number, run: () => void): void {
    this.at(this.#now + ms, () => this.within(undefined, run));
  }

  /** Those of one moment come in the order in which they were asked for. */
  at(at: number, run: () => void): void {
    let [low, high] = [0, this.#queue.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#queue[middle]?.at ?? 0) > at) low = middle + 1;
      else high = middle;
    }
    this.#queue.splice(low, 0, { at, run });
  }

  /** All that is due until then, each with whatever follows from it at once. */
  async run(until: number): Promise<void> {
    await settled();
    for (let next = this.#queue.at(-1); next !== undefined && next.at <= until; next = this.#queue.at(-1)) {
      this.#queue.pop();
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await settled();
    }
    this.#now = until;
  }

  /** @returns Puts back what was there. */
  install(): () => void {
    const set = (run: Run, ms: number | undefined, given: unknown[], isRepeated = false) =>
      new VirtualTimer(this, () => run(...given), { ms: Math.max(ms ?? 0, 1), isRepeated });
    const clear = (timer: unknown) => {
      if (timer instanceof VirtualTimer) timer.close();
    };
    const timed = {
      setTimeout: (run: Run, ms?: number, ...given: unknown[]) => set(run, ms, given),
      setInterval: (run: Run, ms?: number, ...given: unknown[]) => set(run, ms, given, true),
      setImmediate: (run: Run, ...given: unknown[]) => set(run, 0, given),
      ...{ clearTimeout: clear, clearInterval: clear, clearImmediate: clear },
    };
    const paused = {
      setTimeout: (ms: number, value: unknown, how?: { signal?: AbortSignal }) => pause(ms, value, how?.signal),
      setImmediate: (value: unknown) => pause(0, value),
    };
    const restore = [
      replace(globalThis, timed),
      replace(timers, timed),
      replace(timersPromises, paused),
      replace(performance, { now: () => this.now }),
      replace(Date, { now: () => this.wall }),
      replace(AbortSignal, { timeout: abortedAfter }),
    ];
    syncBuiltinESMExports();
    return () => {
      for (const back of restore) back();
      syncBuiltinESMExports();
    };
  }
}

/** What programs do with a timer of Node. */
class VirtualTimer {
  readonly #process: Process | undefined;
  /** Another at each beginning and at the end: what was due before is not any more. */
  #turn = 0;

  constructor(
    private readonly time: VirtualTime,
    private readonly run: () => void,
    private readonly how: { readonly ms: number; readonly isRepeated: boolean },
  ) {
    this.#process = time.process;
    this.refresh();
  }

  refresh(): this {
    this.#turn += 1;
    const turn = this.#turn;
    this.time.at(this.time.now + this.how.ms, () => this.#due(turn));
    return this;
  }

  close(): this {
    this.#turn += 1;
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  #due(turn: number): void {
    const process = this.#process;
    if (turn !== this.#turn || process?.isDead === true) return;
    if (process !== undefined && process.standsUntil > this.time.now) {
      this.time.at(process.standsUntil, () => this.#due(turn));
      return;
    }
    if (this.how.isRepeated) this.refresh();
    else this.close();
    this.time.within(process, this.run);
  }
}

/** All promises that nothing of the world holds up have come. */
function settled(): Promise<void> {
  return new Promise((resolve) => realImmediate(resolve));
}

function pause(ms: number, value: unknown, signal?: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => resolve(value), ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('the pause was ended', 'AbortError'));
    });
  });
}

function abortedAfter(ms: number): AbortSignal {
  const ending = new AbortController();
  setTimeout(() => ending.abort(), ms);
  return ending.signal;
}

/** @returns Puts back what was there. */
function replace(target: object, values: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(values).map((key) => [key, Object.getOwnPropertyDescriptor(target, key)] as const);
  for (const [key, value] of Object.entries(values))
    Object.defineProperty(target, key, { value, writable: true, configurable: true, enumerable: true });
  return () => {
    for (const [key, was] of before)
      if (was === undefined) Reflect.deleteProperty(target, key);
      else Object.defineProperty(target, key, was);
  };
}
