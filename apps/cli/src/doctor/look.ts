/** Looks at a running cluster: as the calling account, and where the broker has users as its `doctor` and `auditor`. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Clock, hello, type NatsTransport, openBucket } from '@natrium/bus';
import { BrokerKeys, scopesIn } from '@natrium/broker-auth';
import type { MasterConfig } from '@natrium/config';
import { decode, fingerprint, readAnnouncement, signedFromWire, toHex } from '@natrium/envelope';
import { isList, isMap, ok, type Refusal, type Result, type Value } from '@natrium/model';
import { asRole } from '../link/as-role.js';
import type { OpenMaster } from '../link/open-master.js';
import type { BrokerSeen, MinionsSeen, NodeSeen, PartySeen, PoliciesSeen, ScopesSeen, StreamSeen } from './cluster-checks.js'; // prettier-ignore
import type { SpaceSeen } from './space-checks.js';

const HELLO_MS = 2000;
const ASK_MS = 2000;
const HOUR_MS = 3_600_000;

export interface Seen {
  readonly broker: BrokerSeen;
  /** undefined: only a broker with users tells it, and only who may ask it. */
  readonly nodes: readonly (NodeSeen & SpaceSeen)[] | undefined;
  readonly streams: readonly StreamSeen[];
  readonly services: readonly PartySeen[];
  /** undefined: this host has no credentials to look with. */
  readonly minions: MinionsSeen | undefined;
  /** undefined: no acl-service has told the time. */
  readonly offsetMs: number | undefined;
  readonly scopes: ScopesSeen | undefined;
  readonly policies: PoliciesSeen;
}

export async function look(master: OpenMaster): Promise<Seen> {
  const { link, config } = master;
  const { info } = master.transport.connection;
  const broker = {
    version: info?.version ?? '0',
    maxPayload: info?.max_payload ?? 0,
    jetstream: info?.jetstream === true,
    tls: info?.tls_required === true || info?.tls_available === true,
  };
  const services = link.directory.services().flatMap(({ owner, rolesSerial }) =>
    owner.type === 'role' ? [{ name: owner.role, rolesSerial }] : [],
  ); // prettier-ignore
  const jsz = await askNodes(config);
  const minions = await asRole('auditor', config, (transport) => announced(transport, master));
  return {
    broker,
    nodes: jsz?.map(nodeIn),
    streams: streamsIn(jsz ?? []),
    services,
    minions,
    offsetMs: await offsetOf(master),
    scopes: await scopesOf(config),
    policies: await policiesOf(master),
  };
}

/** What each acl-service that is there has told of its policy. */
async function policiesOf({ link, client }: OpenMaster): Promise<PoliciesSeen> {
  const there = link.directory.services().flatMap(({ owner }) =>
    owner.type === 'role' && owner.role === 'acl' ? [owner.instance] : [],
  ); // prettier-ignore
  const told = await client.admin('audit', 'policy.in_force', []);
  if (!told.ok) return { there, told: [], problem: told.error.sentence };
  const reports = (isList(told.value) ? told.value : []).flatMap((report) => {
    const [instance, policy] = [at(report, 'instance'), at(report, 'policy')];
    if (typeof instance !== 'string' || typeof policy !== 'string' || !there.includes(instance)) return [];
    return [{ policy, refused: at(report, 'refused') === true }];
  });
  return { there, told: reports };
}

/** undefined where the broker has no users, and for an account that may not read the broker's keys. */
async function scopesOf(config: MasterConfig): Promise<ScopesSeen | undefined> {
  const keys = new BrokerKeys(join(config.pki_dir, 'broker'));
  if (config.broker_auth === 'none' || !keys.exists) return undefined;
  const { missing, scopeKeys, account } = keys;
  const subject = `$SYS.REQ.ACCOUNT.${account}.CLAIMS.LOOKUP`;
  const jwt = await asRole('doctor', config, (transport) => transport.request(subject, new Uint8Array(), ASK_MS));
  if (jwt === undefined) return undefined;
  return { missing, made: [...scopeKeys.keys()], inAccount: scopesIn(Buffer.from(jwt).toString()) };
}

/** Of the own clock; `Clock` itself forgets what is within the skew. */
async function offsetOf({ transport, link, keys }: OpenMaster): Promise<number | undefined> {
  const clock = new Clock(0);
  const pin = { firstRoot: keys.chain()[0] };
  const { newest } = link.bus.sealer.roles;
  const greeted = await hello(transport, link.subjects, pin, clock, {
    ...{ minSerial: 0, newest },
    ...{ timeoutMs: HELLO_MS, inbox: transport.inbox },
  });
  return greeted.ok ? clock.offsetMs : undefined;
}

/** Each node's answer about its JetStream: the system account's, so that only a broker with users gives it. */
async function askNodes(config: MasterConfig): Promise<readonly Value[] | undefined> {
  if (config.broker_auth === 'none') return undefined;
  return asRole('doctor', config, async (transport) => {
    const question = Buffer.from(JSON.stringify({ streams: true, config: true, accounts: true }));
    const heard: Value[] = [];
    const all = new AbortController();
    const inbox = `${transport.inbox}.jsz`;
    const listening = transport.subscribe(inbox, ({ payload }) => {
      heard.push(JSON.parse(Buffer.from(payload).toString()) as Value);
      // One node answers at once; how many others there are, only its own answer says.
      if (heard.length >= config.nats.length) all.abort();
    });
    transport.publish('$SYS.REQ.SERVER.PING.JSZ', question, inbox);
    await pause(ASK_MS, undefined, { signal: all.signal }).catch(() => undefined);
    await listening.close();
    return heard;
  });
}

function nodeIn(answer: Value): NodeSeen & SpaceSeen {
  const [name, folder] = [at(answer, 'server', 'name'), at(answer, 'data', 'config', 'store_dir')];
  const [stored, atMost] = [at(answer, 'data', 'storage'), at(answer, 'data', 'config', 'max_storage')];
  const cluster = at(answer, 'data', 'meta_cluster', 'cluster_size');
  return {
    name: typeof name === 'string' ? name : 'a node',
    cluster: typeof cluster === 'number' ? cluster : 1,
    syncAlways: at(answer, 'data', 'config', 'sync_always') === true,
    folder: typeof folder === 'string' ? folder : '',
    stored: typeof stored === 'number' ? stored : 0,
    atMost: typeof atMost === 'number' ? atMost : 0,
  };
}

/** Each stream once, as its leader tells it. */
function streamsIn(answers: readonly Value[]): readonly StreamSeen[] {
  const found = new Map<string, StreamSeen>();
  for (const answer of answers) {
    const accounts = at(answer, 'data', 'account_details');
    for (const account of isList(accounts) ? accounts : []) {
      const streams = at(account, 'stream_detail');
      for (const stream of isList(streams) ? streams : []) {
        const seen = streamIn(stream);
        const known = found.get(seen.name);
        if (known === undefined || seen.offline > known.offline) found.set(seen.name, seen);
      }
    }
  }
  return [...found.values()].filter(({ name }) => name.startsWith('KV_NT_') || name.startsWith('NT_'));
}

function streamIn(stream: Value): StreamSeen {
  const [name, replicas, peers] = [at(stream, 'name'), at(stream, 'config', 'num_replicas'), at(stream, 'cluster', 'replicas')]; // prettier-ignore
  const offline = (isList(peers) ? peers : []).filter((peer) => at(peer, 'offline') === true).length;
  return { name: typeof name === 'string' ? name : '', replicas: typeof replicas === 'number' ? replicas : 1, offline };
}

/** Minions by id, and what roles document each knew when it announced itself. */
async function announced(transport: NatsTransport, master: OpenMaster): Promise<MinionsSeen> {
  const bucket = await openBucket(transport, {
    name: `NT_${master.config.cluster}_announcements`,
    replicas: 1,
    ttlMs: 0,
  });
  const named = await idsByFinger(master);
  if (!named.ok) return { seen: [], problem: named.error.sentence };
  const ids = named.value;
  const seen = (await bucket.list('m.*')).flatMap(({ value }) => {
    const signed = signedFromWire(decode(value));
    if (signed === undefined) return [];
    const now = Date.now() - HOUR_MS;
    const party = readAnnouncement(signed, master.link.roles.cluster, now, () => [], 2 * HOUR_MS);
    if (!party.ok) return [];
    const { key } = party.value.owner;
    const id = ids.get(fingerprint(key));
    return id === undefined ? [] : [{ name: id || toHex(key), rolesSerial: party.value.rolesSerial }];
  });
  return { seen };
}

/** Only of those who are let in: others say nothing any more. */
async function idsByFinger({ client }: OpenMaster): Promise<Result<ReadonlyMap<string, string>, Refusal>> {
  const list = await client.admin('key', 'key.list', []);
  if (!list.ok) return list;
  const accepted = (isList(list.value) ? list.value : []).flatMap((entry) => {
    const [id, finger, state] = [at(entry, 'id'), at(entry, 'fingerprint'), at(entry, 'state')];
    const isAccepted = typeof id === 'string' && typeof finger === 'string' && state === 'accepted';
    return isAccepted ? [[finger, id] as const] : [];
  });
  return ok(new Map(accepted));
}

function at(value: Value, ...path: readonly string[]): Value | undefined {
  let here: Value | undefined = value;
  for (const key of path) here = here !== undefined && isMap(here) ? here[key] : undefined;
  return here;
}
