/** The event-sink's whole wiring: a delivery for each of `event_sinks`. It answers nobody, so it has no door. */
import { hostname } from 'node:os';
import { type DynamicModule, Module } from '@nestjs/common';
import { type EventSink, sinkKind } from '@natrium/config';
import type { ServiceStart } from '@natrium/edge';
import { compileTags, EventLog, type TagTest } from '@natrium/events';
import { webhookKey } from '@natrium/modules';
import { Delivery } from './delivery.js';
import type { Destination } from './destination.js';
import { FileDestination } from './file.js';
import { figuresOf } from './figures.js';
import { type At, Place, WHOLE } from './place.js';
import { PostgresDestination } from './postgres.js';
import { WebhookDestination } from './webhook.js';

/** Batches of the journal that may wait for each sink, beside its queue: a destination that is away costs no more. */
const AHEAD = 16;

@Module({})
export class SinkModule {
  static async create(start: ServiceStart): Promise<DynamicModule> {
    const { link, log, onStop, config } = start;
    const sinks = Object.entries(config.loaded.config.event_sinks);
    if (sinks.length === 0) log.warn('there are no event_sinks: nothing is delivered');
    const places = await link.store('sinks', 'events');
    const journal = new EventLog(await link.events('read', AHEAD), (sender) => link.subjects.events(sender));
    const deliveries: Delivery[] = [];
    const files: string[] = [];
    const now = () => performance.now();
    const figures = figuresOf(
      start.metrics,
      sinks.map(([name]) => name),
      deliveries,
      () => link.clock.now(),
    );
    // Before the first one begins: another one's key may be none.
    onStop(async () => {
      await Promise.all(deliveries.map((delivery) => delivery.stop()));
    });
    for (const [name, sink] of sinks) {
      const destination = await destinationOf(sink, files);
      if (sinkKind(sink) === 'file') files.push(sink.to);
      const place = new Place(places, {
        name,
        instance: link.own.instance,
        start: () => beginning(journal, sink),
        now,
        log,
      });
      const wants = wantedBy(sink);
      deliveries.push(new Delivery({ name, wants, journal, place, destination, figures: figures(name), log, now }));
    }
    return { module: SinkModule };
  }
}

/**
 * @param files Those of the sinks before this one.
 * @throws {Error} When a key that signs is none: better at the start than with the first event.
 */
async function destinationOf(sink: EventSink, files: readonly string[]): Promise<Destination> {
  const { to, secret_file: secretFile } = sink;
  switch (sinkKind(sink)) {
    case 'postgresql':
      return new PostgresDestination({ url: to, secretFile, masterId: `${hostname()}_master` });
    case 'webhook':
      await webhookKey(secretFile);
      return new WebhookDestination({ url: to, secretFile });
    case 'file':
      return new FileDestination(to, [...files]);
  }
}

/** @throws {Error} When there are too many tags. */
function wantedBy({ tags }: EventSink): TagTest {
  const test = compileTags(tags, 'fnmatch');
  if (!test.ok) throw new Error(`event_sinks: ${test.error}`);
  return test.value;
}

async function beginning(journal: EventLog, { from }: EventSink): Promise<At> {
  const { first, last } = await journal.bounds();
  return { sequence: from === 'now' ? last : Math.max(0, first - 1), index: WHOLE };
}
