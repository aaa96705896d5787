/**
 * The first connection of a process that waits for a broker which is not there yet, however long that takes. The client library
 * tries on by itself and says nothing of why: that is found out beside it, once, so that the log names it and is not filled with it.
 */
import { NatsTransport } from './nats-transport.js';
import type { NatsOptions } from './settings.js';
import { tellingSilence } from './telling-silence.js';
import { whyNoBroker } from './why-no-broker.js';

export interface Waiting {
  /** The addresses, as they may be shown. */
  readonly where: string;
  /** Told at most once. */
  readonly tell: (sentence: string) => void;
  readonly silentMs?: number;
}

/** @throws {Error} When the broker refuses this user. */
export async function waitingForBroker(options: NatsOptions, waiting: Waiting): Promise<NatsTransport> {
  const { where, tell, silentMs } = waiting;
  let isThere = false;
  const connecting = NatsTransport.connect({ ...options, waitOnFirstConnect: true });
  const look = async () => {
    const why = await causeOf(options, where);
    if (why !== undefined && !isThere) tell(`${why}; trying on`);
  };
  try {
    return await tellingSilence(connecting, () => void look(), silentMs);
  } finally {
    isThere = true;
  }
}

/** @returns undefined when the broker is there by now. */
async function causeOf(options: NatsOptions, where: string): Promise<string | undefined> {
  const once = { ...options, onNotice: () => undefined, waitOnFirstConnect: false, outlivesRefusals: false };
  try {
    await (await NatsTransport.connect(once)).drain();
    return undefined;
  } catch (error) {
    return whyNoBroker(error, where).sentence;
  }
}
