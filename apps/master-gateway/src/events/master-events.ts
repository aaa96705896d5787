/** The event bus of a gateway, put together: the journal, who fires into it, and the sockets of this host. */
import type { Opened } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { type EventFeed, EventLog, JournaledBus } from '@natrium/events';
import type { Value } from '@natrium/model';
import type { contracts } from '@natrium/wire';
import type { Logger } from 'pino';
import type { Presence } from '../presence.js';
import { EventAcl } from './event-acl.js';
import { JobEvents } from './job-events.js';
import { MasterSockets } from './master-sockets.js';
import { MinionEvents, type Senders } from './minion-events.js';
import { PresenceEvents } from './presence-events.js';
import { ServiceEvents } from './service-events.js';

export interface EventOptions {
  readonly keepMs: number;
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
  readonly log: Logger;
}

const PRESENCE_MS = 60_000;

export class MasterEvents {
  private constructor(
    /** What the HTTP API, returners and whoever else is in this process use. */
    readonly feed: EventFeed & Pick<JournaledBus, 'lag' | 'behind'>,
    readonly jobs: JobEvents,
    private readonly fromMinions: MinionEvents,
    private readonly fromServices: ServiceEvents,
    /** Writes what is not stored yet, and frees what it holds. */
    readonly close: () => Promise<void>,
  ) {}

  static async open({ link, senders, presence, log }: Parts, options: EventOptions): Promise<MasterEvents> {
    const acl = new EventAcl(options.acl); // a rule that cannot be kept stops the start
    const events = new EventLog(await link.events(options.keepMs), (sender) => link.subjects.events(sender));
    const { instance } = link.own;
    const bus = await JournaledBus.open({
      log: events,
      sender: `gw-${instance}`,
      maxBytes: options.maxBytes,
      now: () => link.clock.now(),
      onProblem: (problem, cause) => {
        log.error({ err: cause }, problem);
      },
    });
    const sockets = new MasterSockets({ ...options, bus, instance, acl, log });
    await sockets.open();
    const looking = new PresenceEvents(
      {
        log: events,
        connected: () => presence.connected(),
        now: () => link.clock.now(),
        onProblem: (cause) => {
          log.error({ err: cause }, 'presence could not be told');
        },
      },
      PRESENCE_MS,
    );
    if (options.presence) looking.start();
    return new MasterEvents(
      bus,
      new JobEvents(bus, options.maxBytes),
      new MinionEvents(link, events, bus, senders, log),
      new ServiceEvents(link, bus),
      async () => {
        looking.stop();
        sockets.close();
        await bus.close();
      },
    );
  }

  minion(opened: Opened<typeof contracts.events>) {
    return this.fromMinions.handle(opened);
  }

  service(opened: Opened<typeof contracts.fire>) {
    return this.fromServices.handle(opened);
  }
}
