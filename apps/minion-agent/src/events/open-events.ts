/** The agent's part of the event bus, put together. */
import { join } from 'node:path';
import type { MinionConfig } from '@natrium/config';
import type { EventPort } from '@natrium/modules';
import type { Logger } from 'pino';
import type { LiveLink } from '../live-link.js';
import { EventForwarder } from './event-forwarder.js';
import { EventSpool } from './event-spool.js';
import { MinionEvents } from './minion-events.js';

export interface AgentEvents {
  readonly port: EventPort;
  /** This minion lives: it says so, and sends what is left from before. */
  begin(): void;
  close(): void;
}

/** Largest event of this host, as a master's own default. */
const MAX_BYTES = 1 << 20;
/** Numbers rise by the clock over restarts; this many a millisecond are never fired. */
const PER_MS = 1024;

export async function openEvents(config: MinionConfig, link: LiveLink, log: Logger): Promise<AgentEvents> {
  const onProblem = (problem: string, cause?: unknown) => {
    log.error({ err: cause }, problem);
  };
  const now = () => link.clock.now();
  const spool = new EventSpool({
    folder: join(config.cachedir, 'spool'),
    maxEvents: config.spool_max_events,
    maxBytes: config.spool_max_bytes,
    firstNumber: now() * PER_MS,
    onProblem,
    onReady: () => {
      forwarder.wake();
    },
  });
  const forwarder: EventForwarder = new EventForwarder(link, spool, onProblem);
  const { id, sock_dir: sockDir } = config;
  const events = new MinionEvents({
    id,
    sockDir,
    instance: link.own.instance,
    spool,
    maxBytes: MAX_BYTES,
    log,
    now,
  });
  await events.open();
  return {
    port: events,
    begin: () => {
      const said = `Minion ${id} started at ${ctime(new Date(now()))}`;
      for (const tag of ['minion_start', `salt/minion/${id}/start`]) {
        events.fireMaster(said, tag, { pretag: null }).catch((cause: unknown) => {
          onProblem(`${tag} was not fired`, cause);
        });
      }
    },
    close: () => {
      forwarder.close();
      events.close();
      spool.close();
    },
  };
}

/** A time as C and Python write it: `Fri Nov 20 11:59:32 2026`. */
function ctime(at: Date): string {
  const [day = '', month = '', date = '', year = '', time = ''] = at.toString().split(' ');
  return `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`;
}
