/** The agent's part of the event bus, put together: it outlives the link, and so do the scripts and jobs that use it. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '@natrium/bus';
import type { MinionConfig } from '@natrium/config';
import type { EventPort } from '@natrium/modules';
import type { Logger } from 'pino';
import type { LiveLink } from '../link/live-link.js';
import { RETURNS_SHARE } from '../disk/spool.js';
import { EventForwarder } from './event-forwarder.js';
import { EventSpool } from './event-spool.js';
import { MinionEvents } from './minion-events.js';

/** Numbers rise by the clock over restarts; this many a millisecond are never fired. */
const PER_MS = 1024;

export class AgentEvents {
  readonly #spool: EventSpool;
  readonly #bus: MinionEvents;
  #forwarder: EventForwarder | undefined;

  constructor(
    private readonly config: MinionConfig,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    const now = () => clock.now();
    const { id, sock_dir: sockDir, cachedir, spool_max_events: maxEvents, spool_max_bytes: maxBytes } = config;
    this.#spool = new EventSpool({
      folder: join(cachedir, 'spool'),
      maxEvents,
      maxBytes: maxBytes * (1 - RETURNS_SHARE),
      firstNumber: now() * PER_MS,
      onProblem: this.#onProblem,
      onReady: () => this.#forwarder?.wake(),
    });
    const instance = randomBytes(6).toString('hex');
    const { hash_type: hashType, max_event_size: largest } = config;
    this.#bus = new MinionEvents({ id, sockDir, hashType, instance, spool: this.#spool, maxBytes: largest, log, now });
  }

  get port(): EventPort {
    return this.#bus;
  }

  /** The bus of this host is there. */
  open(): Promise<void> {
    return this.#bus.open();
  }

  /** This minion lives: it says so over this link, and sends what has waited. */
  begin(link: LiveLink): void {
    this.rest();
    this.#forwarder = new EventForwarder(link, this.#spool, this.#onProblem);
    const { id } = this.config;
    const said = `Minion ${id} started at ${ctime(new Date(this.clock.now()))}`;
    for (const tag of ['minion_start', `salt/minion/${id}/start`]) {
      this.#bus.fireMaster(said, tag, { pretag: null }).catch((cause: unknown) => {
        this.#onProblem(`${tag} was not fired`, cause);
      });
    }
  }

  /** No link is live: what is fired waits in the spool. */
  rest(): void {
    this.#forwarder?.close();
    this.#forwarder = undefined;
  }

  close(): void {
    this.rest();
    this.#bus.close();
    this.#spool.close();
  }

  readonly #onProblem = (problem: string, cause?: unknown): void => {
    this.log.error({ err: cause }, problem);
  };
}

/** A time as C and Python write it: `Fri Nov 20 11:59:32 2026`. */
function ctime(at: Date): string {
  const [day = '', month = '', date = '', year = '', time = ''] = at.toString().split(' ');
  return `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`;
}
