/** V8's memory: how much of it a process has, collecting what is garbage, and how freely it grows. When to do what is decided in `rest.ts`. */
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** In bytes, with the buffers beside the heap. */
export interface Heap {
  /** Garbage included, but for what is young: that goes without a look through all of it. */
  readonly used: number;
  /** What is young, garbage included. */
  readonly young: number;
  /** What the system has given for it, for what is young as well. */
  readonly room: number;
}

/** The machine that the process runs on. */
export interface Machine {
  /** Collects all garbage, and gives memory back to the system. */
  collectHeap(): void;
  /** Collects all garbage, and keeps the memory for what comes next. */
  collectAtWork(): void;
  /** Collects what is young, in a third of a millisecond where little of it is alive. */
  collectYoung(): void;
  heap(): Heap;
  /** Only a frugal process has it. */
  readonly frugal?: {
    /** Whether what is hot is compiled for good. */
    compileHot(on: boolean): void;
    /** Whether the heap grows as V8 likes best; otherwise in the steps of the command line, with a small young generation. */
    growFreely(on: boolean): void;
  };
}

/** The steps in which the heap grows, as the command line says; undefined where it says nothing. */
const HEAP_STEPS = process.execArgv.find((flag) => flag.startsWith('--heap-growing-percent='));
const NO_STEPS = '--heap-growing-percent=0';
/** V8 doubles a young generation in which much is alive, and makes it small again at rest. On the command line it takes no 1 for this. */
const YOUNG_STAYS = '--semi-space-growth-factor=1';
const YOUNG_GROWS = '--semi-space-growth-factor=2';

/** What a frugal process can change while it runs. */
export const FRUGAL: NonNullable<Machine['frugal']> = {
  compileHot: (on) => {
    setFlagsFromString(on ? '--opt' : '--no-opt');
  },
  growFreely: (on) => {
    if (HEAP_STEPS !== undefined) setFlagsFromString(on ? NO_STEPS : HEAP_STEPS);
    setFlagsFromString(on ? YOUNG_GROWS : YOUNG_STAYS);
  },
};

/** To be called first of all in a frugal process, whose start is no hard work. */
export function beFrugal(): void {
  FRUGAL.growFreely(false);
}

type Gc = NonNullable<typeof globalThis.gc>;

/** V8's own function; without `--expose-gc` on the command line it is fetched when it is wanted first. */
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
  // Without options: Node 20 would take any for the wish to collect only the young generation.
  const collect = gc();
  collect();
}

/** Once what is young was collected so often in a row, with next to nothing in it, V8 gives back what it had (1 MB of an agent's). */
const YOUNG_COLLECTIONS = 4;

/**
 * From Node 22 on, V8 keeps the pages that a collection has freed (14 MB of an agent's), and gives them back only after a collection of
 * the flavor `last-resort`. Node 20 does not know that flavor, and gives pages back after each collection.
 */
function collectHeap(): void {
  const keepsPages = Number(process.versions.node.split('.')[0]) >= 22;
  const collect = gc();
  // Without compacting, the pages of a heap that was full would stay, with a little in each. It is only switched on here, since it takes longer.
  if (!compactsAlways) setFlagsFromString('--compact-on-every-full-gc');
  if (keepsPages) collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  else collect();
  if (!compactsAlways) setFlagsFromString('--no-compact-on-every-full-gc');
  for (let n = 0; n < YOUNG_COLLECTIONS; n += 1) collectYoung();
}

function collectYoung(): void {
  const collect = gc();
  collect({ type: 'minor', execution: 'sync' });
}

function heap(): Heap {
  const { used_heap_size: used, total_heap_size: room, external_memory: beside } = getHeapStatistics();
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_used_size ?? 0;
  return { used: used - young + beside, young, room: room + beside };
}

/** This process, which is not frugal. */
export const MACHINE: Machine = { collectHeap, collectAtWork, collectYoung, heap };
