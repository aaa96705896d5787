/** What an event-sink tells of itself on its door for metrics: docs/operations.md#monitor. */
import type { ServiceMetrics } from '@natrium/edge';
import type { Delivery, SinkFigures } from './delivery.js';

/** @param names Of the sinks that are configured. @param deliveries Read when somebody asks. @returns What counts for the sink of a name. */
export function figuresOf(
  metrics: ServiceMetrics | undefined,
  names: readonly string[],
  deliveries: readonly Delivery[],
  now: () => number,
): (name: string) => SinkFigures {
  if (metrics === undefined) return () => ({ count: () => undefined });
  const each = (figure: (delivery: Delivery) => number) => () =>
    deliveries.map((delivery) => [delivery.name, figure(delivery)] as const);
  const seconds = ({ waitingSince }: Delivery) =>
    waitingSince === undefined ? 0 : Math.max(0, now() - Date.parse(`${waitingSince}Z`)) / 1000;
  metrics.gauge(
    'natrium_sink_active',
    '1: this replica delivers',
    'sink',
    each(({ active }) => active),
  );
  metrics.gauge('natrium_sink_lag_seconds', 'Age of the oldest event that waits here', 'sink', each(seconds));
  metrics.gauge(
    'natrium_sink_lag_batches',
    'Batches of events not delivered',
    'sink',
    each(({ behind }) => behind),
  );
  const counters = {
    delivered: metrics.counter('natrium_sink_delivered_total', 'Events that were delivered', 'sink', names),
    failed: metrics.counter('natrium_sink_failed_total', 'Attempts that failed', 'sink', names),
    refused: metrics.counter('natrium_sink_refused_total', 'Events that the destination never takes', 'sink', names),
  };
  return (name) => ({
    count: (what, count) => {
      counters[what](name, count);
    },
  });
}
