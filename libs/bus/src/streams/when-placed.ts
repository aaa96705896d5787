/**
 * Waits for a broker whose cluster is not whole yet: while its nodes start, JetStream is not there, or has no leader, or no
 * place for as many replicas as a store wants. Each try is later than the one before; who waits is told what for, once for each reason.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '@natrium/model';

export interface Patience {
  /** How long in all. */
  readonly forMs: number;
  readonly tell: (sentence: string) => void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4000;
/** A broker that is just starting, or that loads an account for its first user, has nobody yet who answers for JetStream. */
const ENABLED_MS = 5000;
/** A vote for a stream's leader takes up to nine seconds, and for a while longer consumers are placed at the node that died. */
const ANEW_FOR_MS = 20_000;
const ANEW_MS = 250;
/** JetStream's own numbers: no node for a replica, and no leader that could decide. */
const NOT_WHOLE = new Set([10_005, 10_008]);
/**
 * The stream could not be made, among others since its folder could not: a broker that loads an account makes and removes its folder to
 * try it, and a stream may be made in between. (Its log names 10077 then, its answer this number.)
 */
const NOT_MADE = 10_049;

export class NotPlaced extends Error {
  override readonly name = 'NotPlaced';
  readonly code = 'ERR_NOT_PLACED';
  constructor(store: string, forMs: number, cause: unknown) {
    super(
      `the broker found no place for ${store} within ${String(Math.round(forMs / 1000))} s (${messageOf(cause)}); start the missing nodes of the broker, then this again`,
      { cause },
    );
  }
}

/** @throws {NotPlaced} When the cluster is not whole in time; any other failure is thrown as it is. */
export async function whenPlaced<T>(store: string, patience: Patience | undefined, make: () => Promise<T>): Promise<T> {
  if (patience === undefined) return make();
  const began = performance.now();
  let told = '';
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      const made = await make();
      if (told !== '') patience.tell(`${store} is there: the broker has its nodes`);
      return made;
    } catch (cause) {
      const waits = isStarting(cause) ? performance.now() - began < ENABLED_MS : isNotWhole(cause);
      if (!waits) throw cause;
      if (performance.now() - began + pauseMs > patience.forMs) throw new NotPlaced(store, patience.forMs, cause);
      const reason = messageOf(cause);
      if (reason !== told) patience.tell(`waiting for more nodes of the broker, to keep ${store}: ${reason}`);
      told = reason;
    }
    await pause(pauseMs);
  }
}

/**
 * Asks again, each time anew, while a node that died is missed: until the others know of it they still place consumers there,
 * and a stream that it led has nobody who answers.
 *
 * @throws {Error} The last failure when this takes too long; one that no waiting mends at once.
 */
export async function triedAnew<T>(ask: () => Promise<T>): Promise<T> {
  const end = performance.now() + ANEW_FOR_MS;
  for (;;) {
    try {
      return await ask();
    } catch (cause) {
      if (!(isNotWhole(cause) || isNotEnabled(cause)) || performance.now() > end) throw cause;
    }
    await pause(ANEW_MS);
  }
}

function isNotWhole(cause: unknown): boolean {
  const { code, name } = cause as { readonly code?: unknown; readonly name?: unknown };
  return (typeof code === 'number' && NOT_WHOLE.has(code)) || name === 'TimeoutError';
}

function isStarting(cause: unknown): boolean {
  return isNotEnabled(cause) || (cause as { readonly code?: unknown }).code === NOT_MADE;
}

function isNotEnabled(cause: unknown): boolean {
  return (cause as { readonly name?: unknown }).name === 'JetStreamNotEnabled';
}
