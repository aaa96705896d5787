/**
 * Makes the stream of a bucket, as the client library would, with one difference. The library always allows messages with the header
 * `Nats-Rollup`, which replace all others: whoever may write one key could erase everybody's.
 */
import {
  DiscardPolicy,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import type { NatsTransport } from '../nats/nats-transport.js';

export interface BucketSettings {
  readonly name: string;
  readonly replicas: number;
  /** Milliseconds after which a value is dropped; 0 keeps it. */
  readonly ttlMs: number;
}

/** JetStream's times are in nanoseconds. */
export const NANOS_PER_MS = 1_000_000;
/** JetStream's own number: there is no stream of that name. */
export const NO_STREAM = 10_059;

/** A bucket that is there stays as it is, whoever has made it and with whatever settings. */
export async function makeBucket(transport: NatsTransport, settings: BucketSettings): Promise<void> {
  const { streams } = await jetstreamManager(transport.connection);
  const name = `KV_${settings.name}`;
  const isThere = () => streams.info(name).then(() => true, unlessMissing);
  if (await isThere()) return;
  try {
    await streams.add({ name, ...configOf(settings) });
  } catch (cause) {
    // Another version of a service has made it meanwhile, with other settings.
    if (!(await isThere())) throw cause;
  }
}

function configOf({ name, replicas, ttlMs }: BucketSettings): Partial<StreamConfig> {
  return {
    subjects: [`$KV.${name}.>`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_msgs_per_subject: 1,
    discard: DiscardPolicy.New,
    num_replicas: replicas,
    max_age: ttlMs * NANOS_PER_MS,
    // Read at the leader: a nearer replica may be behind, but a key that was written has to be found, and one that is not found not to be there.
    allow_direct: false,
    allow_rollup_hdrs: false,
    deny_purge: true,
    deny_delete: true,
  };
}

function unlessMissing(cause: unknown): false {
  if (cause instanceof JetStreamApiError && cause.code === NO_STREAM) return false;
  throw cause;
}
