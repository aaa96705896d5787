/**
 * The agent's way onto the bus. Where the broker asks who somebody is, a host comes first as one of those who may only join;
 * once its key is accepted it gets a user of its own, which it keeps and renews.
 *
 * Spec: spec/broker.md#users, spec/envelope.md#join.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Clock,
  type NatsOptions,
  type NatsTransport,
  tellingSilence,
  tellingUnopened,
  type Tracing,
  type Transport,
  waitingForBroker,
} from '@natrium/bus';
import { connectIdentity, type ConnectOptions, isGood, type Link, OwnUser } from '@natrium/client';
import { brokerTls, type MinionConfig, shownAddress } from '@natrium/config';
import { fp, type Identity } from '@natrium/envelope';
import { type BrokerCredentials, diskTrouble, readCredentials, writeWhole } from '@natrium/keystore';
import { inboxOf, joinInboxOf } from '@natrium/wire';
import type { ValueMap } from '@natrium/model';
import type { Logger } from 'pino';
import { type ClusterTrust, NoTrust } from './cluster-trust.js';
import { joinCluster, stateOf } from './joining.js';
import type { CameIn } from '../link/live-link.js';

const HELLO_MS = 2000;
const HELLO_AGAIN_MS = 1000;
const REFUSED_AGAIN_MS = 1000;
const OWNER_ONLY = 0o600;

/** What every identity of this host comes onto the bus with. */
export interface AboutHost {
  readonly config: MinionConfig;
  readonly trust: ClusterTrust;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** What the configuration lets a newcomer show. */
  readonly grains: ValueMap;
  /** Where the steps of jobs are told; nowhere when it is left out. */
  readonly tracing?: Tracing | undefined;
}

export interface ComingIn extends AboutHost {
  readonly identity: Identity;
}

/** Resolves when this host is let in, however long that takes. @throws {NoTrust} When the cluster is not the one that this host trusts. */
export async function comeIn(about: ComingIn): Promise<CameIn> {
  const credentials = readCredentials(about.config.join_creds);
  if (credentials !== undefined) return comeInAsUser(about, credentials);
  const transport = await connectToJoin(about, undefined);
  try {
    const link = await greet(about, transport);
    await joinCluster({ ...about, id: about.config.id, link });
    return { transport, link, user: undefined };
  } catch (error) {
    await transport.drain(); // an agent that does not come to life leaves nothing open
    throw error;
  }
}

async function comeInAsUser(about: ComingIn, credentials: BrokerCredentials): Promise<CameIn> {
  const { identity, log, signal } = about;
  let jwt = readText(userPath(about));
  for (;;) {
    if (jwt === undefined || !isGood(jwt, identity, Date.now())) jwt = await joinFor(about, credentials);
    const user = userOf(about, jwt);
    user.take(jwt);
    const came = await asUser(about, user);
    if (came !== undefined) return came;
    log.warn('the broker does not know this minion’s user; joining again');
    jwt = undefined;
    await pause(REFUSED_AGAIN_MS);
    signal.throwIfAborted();
  }
}

/** The JWT that comes with an acceptance. */
async function joinFor(about: ComingIn, credentials: BrokerCredentials): Promise<string> {
  const user = await asNewcomer(about, credentials, (link) => joinCluster({ ...about, id: about.config.id, link }));
  if (user === null) throw new Error('the acl-service gives no users of the broker: its broker_auth is none');
  return user;
}

/** What the acl-service says of an identity of this host now; undefined when it says nothing. */
export function standingOf(about: ComingIn): Promise<string | undefined> {
  const credentials = readCredentials(about.config.join_creds);
  return asNewcomer(about, credentials, (link) => stateOf({ ...about, id: about.config.id, link }));
}

/**
 * Another identity of this host, on the bus beside the one that is live.
 *
 * @param jwt Its user of the broker; null where the broker knows none.
 */
export async function comeInBeside(about: ComingIn, jwt: string | null): Promise<CameIn> {
  if (jwt !== null) {
    const came = await asUser(about, userOf(about, jwt));
    if (came === undefined) throw new Error('the broker does not know the user of the new identity');
    return came;
  }
  const transport = await connect(about, {});
  try {
    return { transport, link: await greet(about, transport), user: undefined };
  } catch (error) {
    await transport.drain();
    throw error;
  }
}

/** The next coming in asks to join, also where the broker still knows this host. */
export function forgetUser(about: Pick<AboutHost, 'config'>): void {
  rmSync(userPath(about), { force: true });
}

function userPath({ config }: Pick<AboutHost, 'config'>): string {
  return join(config.pki_dir, 'broker-user.jwt');
}

function userOf(about: ComingIn, jwt: string): OwnUser {
  const path = userPath(about);
  return new OwnUser(about.identity, jwt, (newest) => {
    try {
      writeWhole(path, `${newest}\n`, OWNER_ONLY);
    } catch (cause) {
      about.log.error({ err: cause }, `the next start has to join again: ${diskTrouble(path, cause)}`);
    }
  });
}

/** As one who may do nothing but join, where the broker asks who comes. */
async function asNewcomer<T>(
  about: ComingIn,
  credentials: BrokerCredentials | undefined,
  ask: (link: Link) => Promise<T>,
): Promise<T> {
  const transport = await connectToJoin(about, credentials);
  try {
    return await ask(await greet(about, transport, credentials !== undefined));
  } finally {
    await transport.drain();
  }
}

/** @throws {Error} That names the file of a newcomer, where the broker does not let this one in. */
async function connectToJoin(about: ComingIn, credentials: BrokerCredentials | undefined): Promise<NatsTransport> {
  const inbox = joinInboxOf(fp(about.identity.publicKey));
  const login = credentials === undefined ? {} : { user: { jwt: () => credentials.jwt, key: credentials.key }, inbox };
  try {
    return await connect(about, login);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { nats, join_creds: file } = about.config;
    const why =
      credentials === undefined ? `wants to know who comes, and there is no ${file}` : `does not know ${file}`;
    throw new Error(
      `the broker at ${nats.map(shownAddress).join(', ')} ${why}: copy pki/broker/join.creds of the master there`,
      {
        cause: error,
      },
    );
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && /auth/i.test(`${error.name} ${error.message}`);
}

/** @returns undefined when the broker refuses this user. */
async function asUser(about: ComingIn, user: OwnUser): Promise<CameIn | undefined> {
  let transport;
  try {
    transport = await connect(about, { user, inbox: inboxOf(fp(about.identity.publicKey)) });
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
  try {
    return { transport, link: await greet(about, transport), user };
  } catch (error) {
    await transport.drain();
    throw error;
  }
}

export function connect(
  { config, log }: Pick<AboutHost, 'config' | 'log'>,
  login: Pick<NatsOptions, 'user' | 'inbox'>,
): Promise<NatsTransport> {
  const wanted: NatsOptions = {
    servers: config.nats,
    name: 'natrium-minion',
    tls: brokerTls(config),
    ...login,
    onNotice: (notice, cause) => {
      log.info({ err: cause }, notice);
    },
  };
  return waitingForBroker(wanted, {
    where: config.nats.map(shownAddress).join(', '),
    tell: (why) => {
      log.warn(why);
    },
  });
}

/** How the identity of this host stands on a bus. */
export function standingOn(about: ComingIn, transport: Transport, joining: boolean): ConnectOptions {
  const { config, identity, trust, clock, log } = about;
  const tellUnopened = tellingUnopened(log);
  return {
    transport,
    cluster: config.cluster,
    identity,
    use: 'jobs',
    pin: trust.pin(),
    minSerial: trust.minSerial,
    newest: trust.newest,
    clock,
    epochMs: config.epoch_hours * 3_600_000,
    overlapMs: config.epoch_overlap * 1000,
    helloTimeoutMs: HELLO_MS,
    entering: joining ? 'join' : undefined,
    tracing: about.tracing,
    onOpenFailure: (reason, subject, isMended = false) => {
      if (reason === 'unknown_sender' && !isMended) trust.doubt();
      tellUnopened(reason, subject, isMended);
    },
  };
}

/** Says hello until an acl-service answers, and keeps what it learned. @throws {NoTrust} When the cluster is not the one that this host trusts. */
export function greet(about: ComingIn, transport: Transport, joining = false): Promise<Link> {
  return tellingSilence(greeted(about, transport, joining), () => {
    about.log.warn(`no acl-service of the cluster ${about.config.cluster} answers; trying on`);
  });
}

async function greeted(about: ComingIn, transport: Transport, joining: boolean): Promise<Link> {
  const { trust, clock, log, signal } = about;
  for (;;) {
    signal.throwIfAborted();
    const connected = await connectIdentity(standingOn(about, transport, joining));
    if (connected.ok) {
      if (clock.offsetMs !== 0) log.error({ offsetMs: clock.offsetMs }, 'the clock of this host is wrong');
      const ahead = trust.aheadOf(clock);
      if (ahead !== undefined) log.error(ahead);
      trust.keep(connected.value);
      return connected.value;
    }
    if (connected.error.code !== 'no_answer') throw new NoTrust(connected.error.sentence);
    log.debug(connected.error.sentence);
    await pause(HELLO_AGAIN_MS);
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined; // never made, or not ours to read: a new one is asked for
  }
}
