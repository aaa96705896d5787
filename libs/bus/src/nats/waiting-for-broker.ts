/**
 * The connection of a process that waits for its broker, however long that takes: at first, and whenever it is lost. The client
 * library tries on by itself and says nothing of why: that is found out beside it, once each time, so that the log names it and
 * is not filled with it.
 */
import { NatsTransport } from './nats-transport.js';
import type { NatsOptions } from './settings.js';
import { tellingSilence } from './telling-silence.js';
import { whyNoBroker } from './why-no-broker.js';

/** One that was lost is mostly back sooner: a node was restarted, or another one takes its clients. */
const LOST_MS = 10_000;

export interface Waiting {
  /** The addresses, as they may be shown. */
  readonly where: string;
  /** Told at most once of the first connection; of one that is lost for longer once each time, and once that it is back. */
  readonly tell: (sentence: string) => void;
  readonly silentMs?: number;
  readonly lostMs?: number;
}

/** @throws {Error} When the broker refuses this user. */
export async function waitingForBroker(options: NatsOptions, waiting: Waiting): Promise<NatsTransport> {
  const { where, tell, silentMs } = waiting;
  let isThere = false;
  const lost = new TellingLost(options, waiting);
  const connecting = NatsTransport.connect({ ...options, waitOnFirstConnect: true, onAway: lost.onAway });
  const look = async () => {
    const why = await causeOf(options, where);
    if (why !== undefined && !isThere) tell(`${why}; trying on`);
  };
  try {
    const transport = await tellingSilence(connecting, () => void look(), silentMs);
    void transport.closed.then(() => lost.end());
    return transport;
  } finally {
    isThere = true;
  }
}

/** The connection of a command, which does not wait for the first one. @throws {Error} Where there is none. */
export async function tellingLost(options: NatsOptions, waiting: Waiting): Promise<NatsTransport> {
  const lost = new TellingLost(options, waiting);
  const transport = await NatsTransport.connect({ ...options, onAway: lost.onAway });
  void transport.closed.then(() => lost.end());
  return transport;
}

class TellingLost {
  #looking: NodeJS.Timeout | undefined;
  #isTold = false;

  constructor(
    private readonly options: NatsOptions,
    private readonly waiting: Waiting,
  ) {}

  readonly onAway = (isAway: boolean): void => {
    if (isAway) this.#looking ??= setTimeout(() => void this.#look(), this.waiting.lostMs ?? LOST_MS).unref();
    else this.#back();
  };

  #back(): void {
    if (this.#isTold) this.waiting.tell(`the broker at ${this.waiting.where} is there again`);
    this.end();
  }

  end(): void {
    clearTimeout(this.#looking);
    this.#looking = undefined;
    this.#isTold = false;
  }

  async #look(): Promise<void> {
    const mine = this.#looking;
    const { where, tell } = this.waiting;
    const why = await causeOf(this.options, where);
    if (why === undefined || this.#looking !== mine) return;
    this.#isTold = true;
    tell(`the connection to the broker is lost: ${why}; trying on`);
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
