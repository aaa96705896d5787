/**
 * What much work leaves behind goes when it is over: an agent is idle most of the time, and V8 collects nothing of one that
 * asks for nothing. The command that starts it has `--expose-gc` for this; without it only what is remembered goes.
 *
 * And work that has been done a thousand times compiles nothing more: V8 would go on for as long as it runs, for less and less,
 * and keep it all. Measured: 0.4 MB between the thousandth job of an agent and the ten thousandth.
 */
import { setFlagsFromString } from 'node:v8';

const LOOK_MS = 10_000;
/** What coming in leaves behind goes soon; V8 makes its young generation smaller (1 MB) only at the next look. */
const FIRST_LOOK_MS = 2000;
/** Processor time within one look from which it was at work; an idle agent needs a tenth of it. */
const WORK_MS = 100;
/** Processor time of work after which what is used all the time is compiled: that of 700 to 2,000 jobs. */
const SETTLED_MS = 1000;
/** Processor time within one look from which speed is worth more than memory: half a processor. */
const HARD_WORK_MS = 5000;

export interface Remembering {
  /** Forgets what no party would accept any more. @returns How much is still remembered. */
  forgetEnded(): number;
}

/** The machine that the agent runs on. */
export interface Machine {
  collectHeap(): void;
  /** Whether what is hot is compiled for good. */
  compileHot(on: boolean): void;
}

export class Rest {
  // Coming in leaves as much behind as many jobs.
  #untidy = true;
  #worked = 0;

  constructor(
    private readonly parts: readonly Remembering[],
    private readonly machine: Machine,
  ) {}

  /** @param spent Milliseconds of processor time since the last look. */
  look(spent: number): void {
    if (spent > WORK_MS) {
      this.#untidy = true;
      this.#worked += spent;
      if (spent > HARD_WORK_MS) this.machine.compileHot(true);
      return;
    }
    if (!this.#untidy) return;
    const kept = this.parts.reduce((sum, part) => sum + part.forgetEnded(), 0);
    this.machine.collectHeap();
    if (this.#worked > SETTLED_MS) this.machine.compileHot(false);
    this.#untidy = kept > 0;
  }
}

const V8: Machine = {
  collectHeap: () => globalThis.gc?.(),
  compileHot: (on) => {
    setFlagsFromString(on ? '--opt' : '--no-opt');
  },
};

/** @returns Stops looking. */
export function tidyAtRest(parts: readonly Remembering[]): () => void {
  const rest = new Rest(parts, V8);
  let before = process.cpuUsage();
  const look = () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    rest.look((user + system) / 1000);
  };
  const timers = [setTimeout(look, FIRST_LOOK_MS), setInterval(look, LOOK_MS)];
  for (const timer of timers) timer.unref();
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}
