/**
 * Which storage keys still have anything stored under them, and values that are to outlive their key sealed anew.
 *
 * Every bucket and stream of the cluster is looked through, whatever stores in it: a key is deleted only when none names it.
 */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { TimeoutError } from '@nats-io/transport-node';
import { openStored, sealStored, storedKeyId } from '@natrium/envelope';
import type { NatsTransport } from './nats-transport.js';
import { upTo } from './read-up-to.js';
import type { StorageKeys } from './sealed-store.js';
import type { Store } from './store.js';
import { letGo } from './stream-reading.js';

/** The ids of keys that any stored value of the cluster names; undefined when not all of them could be read. */
export async function storedKeyIds(
  transport: NatsTransport,
  cluster: string,
): Promise<ReadonlySet<string> | undefined> {
  const prefix = `NT_${cluster}_`;
  const ids = new Set<string>();
  const manager = await jetstreamManager(transport.connection);
  try {
    for await (const { config, state } of manager.streams.list()) {
      const isOurs = config.name.startsWith(prefix) || config.name.startsWith(`KV_${prefix}`);
      if (isOurs && state.messages > 0) await collect(transport, config.name, ids);
    }
  } catch (error) {
    if (error instanceof TimeoutError) return undefined;
    throw error;
  }
  return ids;
}

async function collect(transport: NatsTransport, stream: string, ids: Set<string>): Promise<void> {
  const { streams } = await jetstreamManager(transport.connection, { checkAPI: false });
  const last = await streams.getMessage(stream, { last_by_subj: '>' });
  if (last === null) return;
  const consumer = await jetstream(transport.connection).consumers.get(stream);
  try {
    for await (const { data } of upTo(await consumer.consume(), last.seq)) {
      const id = storedKeyId(data);
      if (id !== undefined) ids.add(id);
    }
  } finally {
    letGo(consumer);
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
