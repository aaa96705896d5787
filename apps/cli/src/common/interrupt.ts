/** Ctrl-C while waiting: whatever was awaited is given up, so that the command can say what goes on without it. */
import type { EndSignal, Io } from '../ports.js';
import { EXIT } from './exit-codes.js';

export const INTERRUPTED = Symbol('interrupted');
/** What is said then, in Salt's words. */
export const CTRL_C = 'Exiting gracefully on Ctrl-c';

/** Says so, where nothing more is to be told. @returns the exit code. */
export function interrupted(io: Io): number {
  io.err(`\n${CTRL_C}\n`);
  return EXIT.interrupted;
}

/** The same of any signal that ends a process. */
export function endedBy(signal: EndSignal, io: Io): number {
  if (signal === 'SIGINT') return interrupted(io);
  io.err(`\nExiting gracefully on ${signal}\n`);
  return signal === 'SIGTERM' ? EXIT.terminated : EXIT.hungUp;
}

/** Items of `source` until its end or Ctrl-C; the last item is then `INTERRUPTED`. */
export async function* untilInterrupt<T>(source: AsyncIterable<T>, io: Io): AsyncGenerator<T | typeof INTERRUPTED> {
  const { promise, resolve } = signal();
  const dispose = io.onInterrupt(() => resolve(INTERRUPTED));
  const items = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([items.next(), promise]);
      if (next === INTERRUPTED) {
        yield INTERRUPTED;
        return;
      }
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    dispose();
    // Nobody waits for it any more, so its failure concerns nobody.
    items.return?.().catch(() => undefined);
  }
}

/** The value, or `INTERRUPTED` when Ctrl-C came first. */
export async function orInterrupt<T>(value: Promise<T>, io: Io): Promise<T | typeof INTERRUPTED> {
  const { promise, resolve } = signal();
  const dispose = io.onInterrupt(() => resolve(INTERRUPTED));
  try {
    return await Promise.race([value, promise]);
  } finally {
    dispose();
  }
}

/** The value, or the signal that came first. */
export async function orEnded<T extends object>(value: Promise<T>, io: Io): Promise<T | EndSignal> {
  let dispose = (): void => undefined;
  const ended = new Promise<EndSignal>((resolve) => {
    dispose = io.onEnd(resolve);
  });
  try {
    return await Promise.race([value, ended]);
  } finally {
    dispose();
  }
}

/** For a command that stays until it is told to end: resolves at the first signal, and no further one keeps it from ending in order. */
export function untilToldToStop(io: Io): Promise<void> {
  return new Promise((done) => {
    io.onEnd(() => done());
  });
}

function signal(): { promise: Promise<typeof INTERRUPTED>; resolve: (value: typeof INTERRUPTED) => void } {
  let resolve: (value: typeof INTERRUPTED) => void = () => undefined;
  const promise = new Promise<typeof INTERRUPTED>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
