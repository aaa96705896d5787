/**
 * Which storage keys still have anything stored under them, and values that are to outlive their key sealed anew.
 *
 * Every bucket and stream of the cluster is looked through, whatever stores in it: a key is deleted only when none names it.
 */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { openStored, sealStored, storedKeyId } from '@natrium/envelope';
import type { NatsTransport } from './nats-transport.js';
import type { StorageKeys } from './sealed-store.js';
import type { Store } from './store.js';

/** The ids of keys that any stored value of the cluster names. */
export async function storedKeyIds(transport: NatsTransport, cluster: string): Promise<ReadonlySet<string>> {
  const prefix = `NT_${cluster}_`;
  const ids = new Set<string>();
  const manager = await jetstreamManager(transport.connection);
  for await (const { config, state } of manager.streams.list()) {
    const isOurs = config.name.startsWith(prefix) || config.name.startsWith(`KV_${prefix}`);
    if (isOurs && state.messages > 0) await collect(transport, config.name, ids);
  }
  return ids;
}

async function collect(transport: NatsTransport, stream: string, ids: Set<string>): Promise<void> {
  const consumer = await jetstream(transport.connection).consumers.get(stream);
  const { num_pending: pending } = await consumer.info();
  if (pending === 0) return;
  const messages = await consumer.consume();
  for await (const message of messages) {
    const id = storedKeyId(message.data);
    if (id !== undefined) ids.add(id);
    if (message.info.pending === 0) messages.stop();
  }
}

/** Seals every value of a bucket anew that is under another key than the newest. @returns How many. */
export async function resealAll(store: Store, keys: StorageKeys): Promise<number> {
  let count = 0;
  for (const { key, value, revision } of await store.list('>')) {
    const { newest } = keys;
    if (storedKeyId(value) === newest.id) continue;
    const place = `${store.name}/${key}`;
    const opened = openStored((id) => keys.byId(id), place, value);
    // Whoever changed it meanwhile has sealed it under the newest key.
    if (opened.ok && (await store.update(key, sealStored(newest, place, opened.value), revision)) !== undefined)
      count += 1;
  }
  return count;
}
