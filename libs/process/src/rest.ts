/**
 * What much work leaves behind goes when it is over: agents and services are idle most of the time, and V8 collects nothing of a process
 * that asks for nothing.
 *
 * An agent is frugal as well: work that has been done a thousand times compiles nothing more: V8 would go on for as long as it runs, for less and less,
 * and keep it all. Measured: 0.4 MB between the thousandth job of an agent and the ten thousandth.
 *
 * One that is hard at work has both back until that is over: a heap that grows in small steps is collected again and again
 * (measured: 0.16 ms of an agent's time for each of 1,250 jobs a second among three, 0.115 without the steps), and so is a small young
 * generation (a ninth of that time; `--max-semi-space-size` says how large it may become).
 */
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_MS = 10_000;
/** Hard work is noticed sooner than rest. */
const GLANCE_MS = 2000;
/** What coming in leaves behind goes soon; V8 makes its young generation smaller (1 MB) only at the next look. */
const FIRST_LOOK_MS = 2000;
/** Processor time within one look from which it was at work; an idle process needs a tenth of it. */
const WORK_MS = 100;
/** Processor time of work after which what is used all the time is compiled: that of 700 to 2,000 jobs. */
const SETTLED_MS = 1000;
/** Processor time within one glance from which speed is worth more than memory: a sixth of a processor, some 500 jobs a second. */
const HARD_WORK_MS = 330;
/**
 * Processor time within one look below which that is over: a seventh of a processor. With a tenth, an agent that asks a hundred times a
 * second kept the room of its first seconds in some hours and not in others: 9 MB.
 */
const EASED_MS = 1400;
/** A heap that has grown by so much since it was collected is worth the look through all of it; one that has not keeps its garbage. */
const GROWN = 1 + 1 / 16;
/** Bytes. To collect and compact more stops a process for half a second and longer: that is left to V8, which does it in steps. */
const LARGE = 128e6;
/**
 * Looks after which a process that never rests collects what has grown old: V8 does so when there is twice as much, which is hours at a hundred jobs
 * a second. Until then a gateway's heap grows by 3 MB an hour, and is called a leak by whoever watches it.
 */
const BUSY_LOOKS = 30;
/** Bytes. To collect so much stops a process for some 40 ms. */
const SMALL = 64e6;
/** As the command that started it says. */
const HEAP_STEPS = process.execArgv.find((flag) => flag.startsWith('--heap-growing-percent='));
const NO_STEPS = '--heap-growing-percent=0';
/** V8 doubles a young generation in which much is alive, and makes it small again at rest. On the command line it takes no 1 for this. */
const YOUNG_STAYS = '--semi-space-growth-factor=1';
const YOUNG_GROWS = '--semi-space-growth-factor=2';

export interface Remembering {
  /** Forgets what no party would accept any more. @returns How much is still remembered. */
  forgetEnded(): number;
}

/** In bytes, with the buffers beside the heap. */
export interface Heap {
  /** Garbage included, but for what is young: that goes without a look through all of it. */
  readonly used: number;
  /** What the system has given for it, for what is young as well. */
  readonly room: number;
}

/** The machine that the process runs on. */
export interface Machine {
  /** And gives what it can back to the system. */
  collectHeap(): void;
  /** Keeps the room for what comes next. */
  collectAtWork(): void;
  heap(): Heap;
  /** Of a frugal process. */
  readonly frugal?: {
    /** Whether what is hot is compiled for good. */
    compileHot(on: boolean): void;
    /** Whether the heap grows as V8 likes best: else in the small steps that the command line asks for, and what is young has little room. */
    growFreely(on: boolean): void;
  };
}

export class Rest {
  // Coming in leaves as much behind as many jobs.
  #untidy = true;
  /** Tidied up, but for the room of what was young: V8 gives that back when little was made since the collection before. */
  #isRoomy = false;
  /** Tidied up, but for what some party would still accept. */
  #remembers = false;
  /** The least since it was collected, by V8 or here. */
  #least: Heap = { used: 0, room: 0 };
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
    if (spent > WORK_MS) {
      this.#untidy = true;
      this.#worked += spent;
      // What has grown freely meanwhile goes at once: light work may go on for months.
      if (hasEased) this.#collect();
      else this.#collectAtWork();
      return;
    }
    this.#busy = 0;
    const hasGrown = this.#hasGrown();
    if (!this.#untidy && !this.#isRoomy && !this.#remembers && !hasGrown) return;
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

  /** A frugal one has a heap that grows in small steps, and is collected at each. */
  #collectAtWork(): void {
    this.#busy += 1;
    if (this.#busy < BUSY_LOOKS || this.machine.frugal !== undefined) return;
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

const FRUGAL: NonNullable<Machine['frugal']> = {
  compileHot: (on) => {
    setFlagsFromString(on ? '--opt' : '--no-opt');
  },
  growFreely: (on) => {
    if (HEAP_STEPS !== undefined) setFlagsFromString(on ? NO_STEPS : HEAP_STEPS);
    setFlagsFromString(on ? YOUNG_GROWS : YOUNG_STAYS);
  },
};

/** For the first line of a frugal process: what it loads and coming in is no hard work. */
export function beFrugal(): void {
  FRUGAL.growFreely(false);
}

type Gc = NonNullable<typeof globalThis.gc>;

/** V8's own; looked for when it is wanted first, where the command line has no `--expose-gc`. */
let own = globalThis.gc;
const compactsAlways = own !== undefined;

function gc(): Gc {
  if (own === undefined) {
    setFlagsFromString('--expose-gc');
    own = runInNewContext('gc') as Gc;
  }
  return own;
}

function collectAtWork(): void {
  // Without a word more: for Node 20 any is the one for what is young.
  const collect = gc();
  collect();
}

/**
 * From Node 22 on, V8 keeps the pages that a collection has freed for itself, 14 MB of an agent's, and gives them back only after the one
 * that is its last resort. Node 20 does not know that one, and gives them back after each.
 */
function collectHeap(): void {
  const keepsPages = Number(process.versions.node.split('.')[0]) >= 22;
  const collect = gc();
  // Else the pages of a heap that was full stay, with a little in each. Under load it would only take longer.
  if (!compactsAlways) setFlagsFromString('--compact-on-every-full-gc');
  if (keepsPages) collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  else collect();
  if (!compactsAlways) setFlagsFromString('--no-compact-on-every-full-gc');
}

function heap(): Heap {
  const { used_heap_size: used, total_heap_size: room, external_memory: beside } = getHeapStatistics();
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
  return { used: used - (young?.space_used_size ?? 0) + beside, room: room + beside };
}

/** This process, which is not frugal. */
export const MACHINE: Machine = { collectHeap, collectAtWork, heap };

/**
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
    // What telling takes, a collection, is no work.
    before = process.cpuUsage();
  };
}
