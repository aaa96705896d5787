/** The event bus of a gateway, put together: the journal, who fires into it, and the sockets of this host. */
import type { Opened } from '@natrium/bus';
import type { EventsKeeping, RoleLink } from '@natrium/edge';
import { type EventFeed, EventLog, JournaledBus } from '@natrium/events';
import type { Value } from '@natrium/model';
import type { contracts } from '@natrium/wire';
import type { Logger } from 'pino';
import type { Presence } from '../minions/presence.js';
import { EventAcl } from './event-acl.js';
import type { JobCache } from '../jobs/job-cache.js';
import { JobEvents } from './job-events.js';
import { LeftEvents } from './left-events.js';
import { MasterSockets } from './master-sockets.js';
import { MinionEvents, type Senders } from './minion-events.js';
import { PresenceEvents } from './presence-events.js';
import { type HearsReturned, whenReturnedElsewhere } from './returned-elsewhere.js';
import { ServiceEvents } from './service-events.js';

export interface EventOptions {
  readonly keep: EventsKeeping;
  readonly sockDir: string;
  readonly maxBytes: number;
  readonly presence: boolean;
  /** As the master file says it. */
  readonly acl: Value;
}

interface Parts {
  readonly link: RoleLink;
  readonly senders: Senders;
  readonly presence: Presence;
  readonly elsewhere: HearsReturned;
  readonly cache: JobCache;
  readonly log: Logger;
}

const PRESENCE_MS = 60_000;

export class MasterEvents {
  private constructor(
    /** What the HTTP API, returners and whoever else is in this process use. */
    readonly feed: EventFeed & Pick<JournaledBus, 'lag' | 'behind'>,
    readonly jobs: JobEvents,
    readonly left: LeftEvents,
    private readonly from: {
      readonly minions: MinionEvents;
      readonly services: ServiceEvents;
      readonly looks: PresenceEvents | undefined;
    },
    /** Writes what is not stored yet, and frees what it holds. */
    readonly close: () => Promise<void>,
  ) {}

  static async open(parts: Parts, options: EventOptions): Promise<MasterEvents> {
    const { link, senders, elsewhere, cache, log } = parts;
    const acl = new EventAcl(options.acl); // a rule that cannot be kept stops the start
    const events = new EventLog(await link.events(options.keep), (sender) => link.subjects.events(sender));
    const { instance } = link.own;
    const sender = `gw-${instance}`;
    whenReturnedElsewhere(events, sender, elsewhere);
    const { maxBytes } = options;
    const now = () => link.clock.now();
    const onProblem = (problem: string, cause: unknown) => {
      log.error({ err: cause }, problem);
    };
    const bus = await JournaledBus.open({ log: events, sender, maxBytes, now, onProblem });
    const sockets = new MasterSockets({ ...options, bus, instance, acl, log });
    await sockets.open();
    const looks = options.presence ? looking(events, parts) : undefined;
    looks?.start();
    const jobs = new JobEvents(bus, maxBytes);
    const minions = new MinionEvents(link, events, bus, senders, log);
    return new MasterEvents(
      bus,
      jobs,
      new LeftEvents({ log: events, bus, jobs, cache, maxBytes, now, onProblem }),
      {
        minions,
        services: new ServiceEvents(link, events, maxBytes, onProblem),
        looks,
      },
      async () => {
        looks?.stop();
        minions.close();
        sockets.close();
        await bus.close();
      },
    );
  }

  /** Asks how many minions are connected, of nobody but the journal; undefined where no gateway looks (`presence_events`). */
  get connected(): (() => Promise<number>) | undefined {
    const { looks } = this.from;
    return looks && (() => looks.count());
  }

  minion(opened: Opened<typeof contracts.events>) {
    return this.from.minions.handle(opened);
  }

  service(opened: Opened<typeof contracts.fire>) {
    return this.from.services.handle(opened);
  }
}

function looking(log: EventLog, parts: Pick<Parts, 'link' | 'presence' | 'log'>): PresenceEvents {
  const { link, presence } = parts;
  const ports = {
    log,
    connected: () => presence.connected(),
    now: () => link.clock.now(),
    onProblem: (cause: unknown) => {
      parts.log.error({ err: cause }, 'presence could not be told');
    },
  };
  return new PresenceEvents(ports, PRESENCE_MS);
}
