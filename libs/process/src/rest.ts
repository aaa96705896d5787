/**
 * Gives memory back when work is over. Agents and services are idle most of the time, and V8 collects no garbage of a process that
 * allocates nothing.
 *
 * An agent is frugal as well. Its heap grows in small steps (`--heap-growing-percent`), its young generation stays small, and once what is
 * used all the time is compiled, V8 compiles nothing more: it would go on for ever, for less and less gain, and keep all of it (measured:
 * 0.4 MB between the thousandth job of an agent and the ten thousandth).
 *
 * While an agent is hard at work, all of that is lifted. A heap that grows in small steps is collected again and again (measured: 0.16 ms
 * of an agent's time for each of 1,250 jobs a second among three agents, 0.115 without the steps), and so is a small young generation (a
 * ninth of that time; `--max-semi-space-size` says how large it may become).
 */
import { FRUGAL, MACHINE, type Heap, type Machine } from './v8-memory.js';

const LOOK_MS = 10_000;
/** Hard work is noticed sooner than rest. */
const GLANCE_MS = 2000;
/** The first look is soon, for what the start has left behind; V8 makes its young generation smaller (1 MB) only at the next look. */
const FIRST_LOOK_MS = 2000;
/** Processor time between two looks from which a process counts as at work; an idle one needs a tenth of it. */
const WORK_MS = 100;
/** The same of the first look: a service has needed up to 160 ms by then for its start, in a slow hour, and kept 15 MB of that 10 s longer. */
const START_WORK_MS = 500;
/** Processor time of work, in all, after which what is used all the time is compiled: that of 700 to 2,000 jobs. */
const SETTLED_MS = 1000;
/** Processor time between two glances from which it is hard at work, so that speed is worth more than memory: a sixth of a processor, some 500 jobs a second. */
const HARD_WORK_MS = 330;
/**
 * Processor time between two looks below which hard work is over: a seventh of a processor. With a tenth, an agent that asks a hundred
 * times a second kept the room of its first seconds, 9 MB, in some hours and not in others.
 */
const EASED_MS = 1400;
/** A heap is collected at rest when it has grown by this factor since it was collected last; for less, a look through all of it is not worth it. */
const GROWN = 1 + 1 / 16;
/** Bytes. Collecting and compacting a larger heap would stop the process for half a second and longer: that is left to V8, which does it in steps. */
const LARGE = 128e6;
/**
 * After a minute at work, a process that never rests collects its old garbage. V8 does so only when there is twice as much, which takes hours
 * at a hundred jobs a second: until then a gateway's heap grows by 3 MB an hour, and looks like a leak. That of an agent, whatever
 * `--heap-growing-percent` says, grows by 8 MB first.
 */
const BUSY_LOOKS = 6;
/** Bytes. A process at work collects no larger heap: so much stops it for some 40 ms. */
const SMALL = 64e6;

/**
 * Bytes of what is young, nearly all of it garbage, after which an idle agent collects it. V8 does so when its megabyte is full, and goes on in
 * another one: within the hour an agent would have 2 MB of the system's that it does not need.
 */
const YOUNG_AT_REST = 128e3;

export interface Remembering {
  /** Forgets what no party would accept any more. @returns How much is still remembered. */
  forgetEnded(): number;
}

export class Rest {
  #working = START_WORK_MS;
  // The start leaves as much behind as many jobs do.
  #untidy = true;
  /** Tidied up, except that the young generation still has its memory: V8 gives it back at a second collection, when little was made since the first. */
  #isRoomy = false;
  /** Tidied up, except for messages that have to be remembered because some party would still accept them. */
  #remembers = false;
  /** The least since it was collected, by V8 or here. */
  #least: Omit<Heap, 'young'> = { used: 0, room: 0 };
  #worked = 0;
  /** Looks at work, one after the other, since it was collected. */
  #busy = 0;
  #isHardAtWork = false;

  constructor(
    private readonly parts: readonly Remembering[],
    private readonly machine: Machine,
  ) {}

  /** @param spent Milliseconds of processor time since the last look. */
  look(spent: number): void {
    const hasEased = spent < EASED_MS && this.#ease();
    const isAtWork = spent > this.#working;
    this.#working = WORK_MS;
    if (isAtWork) {
      this.#untidy = true;
      this.#worked += spent;
      // What has grown freely meanwhile goes at once: light work may go on for months.
      if (hasEased) this.#collect();
      else this.#collectAtWork();
      return;
    }
    this.#busy = 0;
    const hasGrown = this.#hasGrown();
    if (!this.#untidy && !this.#isRoomy && !this.#remembers && !hasGrown) {
      this.#sweepYoung();
      return;
    }
    const kept = this.parts.reduce((sum, part) => sum + part.forgetEnded(), 0);
    const hasForgotten = this.#remembers && kept === 0;
    if (hasGrown || this.#isRoomy || hasForgotten) this.#collect();
    if (this.#untidy && this.#worked > SETTLED_MS) this.machine.frugal?.compileHot(false);
    this.#isRoomy = hasGrown;
    this.#untidy = false;
    this.#remembers = kept > 0;
  }

  #hasGrown(): boolean {
    const { used, room } = this.machine.heap();
    const hasGrown = used > this.#least.used * GROWN || room > this.#least.room * GROWN;
    this.#least = { used: Math.min(used, this.#least.used), room: Math.min(room, this.#least.room) };
    return hasGrown;
  }

  #collect(): void {
    if (this.machine.heap().used < LARGE) this.machine.collectHeap();
    this.#least = this.machine.heap();
  }

  #sweepYoung(): void {
    const { machine } = this;
    if (machine.frugal !== undefined && machine.heap().young > YOUNG_AT_REST) machine.collectYoung();
  }

  #collectAtWork(): void {
    this.#busy += 1;
    if (this.#busy < BUSY_LOOKS || this.#isHardAtWork) return;
    this.#busy = 0;
    if (this.machine.heap().used < SMALL) this.machine.collectAtWork();
  }

  /** @returns Whether it was hard at work until now. */
  #ease(): boolean {
    const was = this.#isHardAtWork;
    if (was) this.machine.frugal?.growFreely(false);
    this.#isHardAtWork = false;
    return was;
  }

  /** @param spent Milliseconds of processor time since the last glance. */
  glance(spent: number): void {
    const { frugal } = this.machine;
    if (frugal === undefined || spent <= HARD_WORK_MS || this.#isHardAtWork) return;
    this.#isHardAtWork = true;
    frugal.growFreely(true);
    frugal.compileHot(true);
  }
}

/**
 * Looks at the process from time to time, for as long as it runs, and gives memory back when its work is over.
 *
 * @param parts What remembers messages; told to forget those that are too old, once work is over.
 * @param isFrugal Memory is worth more than speed until it is hard at work.
 * @returns Stops looking.
 */
export function tidyAtRest(parts: readonly Remembering[], isFrugal: boolean): () => void {
  const rest = new Rest(parts, { ...MACHINE, ...(isFrugal && { frugal: FRUGAL }) });
  const look = sinceLast((spent) => {
    rest.look(spent);
  });
  const glance = sinceLast((spent) => {
    rest.glance(spent);
  });
  const timers = [setTimeout(look, FIRST_LOOK_MS), setInterval(look, LOOK_MS), setInterval(glance, GLANCE_MS)];
  for (const timer of timers) timer.unref();
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}

/** Tells each time how many milliseconds of processor time have been spent since the time before. */
function sinceLast(tell: (spent: number) => void): () => void {
  let before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    tell((user + system) / 1000);
    // What `tell` takes, which may collect garbage, does not count as work.
    before = process.cpuUsage();
  };
}
