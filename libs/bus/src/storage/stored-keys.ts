/**
 * Which storage keys still have anything stored under them, and values that are to outlive their key sealed anew.
 *
 * Every bucket and stream of the cluster is looked through, whatever stores in it: a key is deleted only when none names it.
 */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { TimeoutError } from '@nats-io/transport-node';
import { openStored, sealStored, storedKeyId } from '@natrium/envelope';
import type { NatsTransport } from '../nats/nats-transport.js';
import type { Store } from '../ports/store.js';
import { ConsumerReading } from '../streams/consumer-reading.js';
import { upTo } from '../streams/read-up-to.js';
import type { StorageKeys } from './sealed-store.js';

const LIST = '$JS.API.STREAM.LIST';
/** Longer than the broker waits for the leaders of its streams. */
const LIST_MS = 10_000;

/** The ids of keys that any stored value of the cluster names; undefined when not all of them could be read. */
export async function storedKeyIds(
  transport: NatsTransport,
  cluster: string,
): Promise<ReadonlySet<string> | undefined> {
  const prefix = `NT_${cluster}_`;
  const ids = new Set<string>();
  try {
    const names = await streamNames(transport);
    if (names === undefined) return undefined;
    for (const name of names) {
      const isOurs = name.startsWith(prefix) || name.startsWith(`KV_${prefix}`);
      if (isOurs) await collect(transport, name, ids);
    }
  } catch (error) {
    if (error instanceof TimeoutError) return undefined;
    throw error;
  }
  return ids;
}

/** A page of the broker's answer, as far as it is used here. */
interface StreamPage {
  readonly streams?: readonly { readonly config: { readonly name: string } }[] | null;
  /** Streams whose leader has not answered in time. */
  readonly missing?: readonly string[] | null;
  readonly total?: number;
  readonly error?: { readonly description: string };
}

/** The client library leaves out what the broker calls missing. @returns undefined when something is. */
async function streamNames({ connection }: NatsTransport): Promise<ReadonlySet<string> | undefined> {
  const names = new Set<string>();
  for (let offset = 0, total = 1; offset < total;) {
    const answer = await connection.request(LIST, JSON.stringify({ offset }), { timeout: LIST_MS });
    const { streams, missing, error, total: all = 0 } = answer.json<StreamPage>();
    if (error !== undefined) throw new Error(`JetStream: ${error.description}`);
    const page = streams ?? [];
    if ((missing?.length ?? 0) > 0 || (page.length === 0 && offset < all)) return undefined;
    for (const { config } of page) names.add(config.name);
    offset += page.length;
    total = all;
  }
  return names;
}

async function collect(transport: NatsTransport, stream: string, ids: Set<string>): Promise<void> {
  const { streams } = await jetstreamManager(transport.connection, { checkAPI: false });
  const last = await streams.getMessage(stream, { last_by_subj: '>' });
  if (last === null) return;
  const messages = await ConsumerReading.begin(() => jetstream(transport.connection).consumers.get(stream));
  try {
    for await (const { data } of upTo(messages, last.seq)) {
      const id = storedKeyId(data);
      if (id !== undefined) ids.add(id);
    }
  } finally {
    messages.end();
  }
}

/** Of one bucket. */
export interface Resealed {
  readonly count: number;
  /** Values that open with none of the keys, and stay as they are: a key is missing or is another one, or they were changed at the broker. */
  readonly unopened: number;
}

/** Seals every value of a bucket anew that is under another key than the newest. */
export async function resealAll(store: Store, keys: StorageKeys): Promise<Resealed> {
  let [count, unopened] = [0, 0];
  for (const { key, value, revision } of await store.list('>')) {
    const { newest } = keys;
    const place = `${store.name}/${key}`;
    const opened = openStored((id) => keys.byId(id), place, value);
    if (!opened.ok) unopened += 1;
    else if (storedKeyId(value) === newest.id) continue;
    // Whoever changed it meanwhile has sealed it under the newest key.
    else if ((await store.update(key, sealStored(newest, place, opened.value), revision)) !== undefined) count += 1;
  }
  return { count, unopened };
}
