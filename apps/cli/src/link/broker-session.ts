/**
 * An account's connection to the broker. Where that asks who somebody is, the account has a user of its own, kept beside its
 * key; with none, or one that has ended, it comes as one who may only join and is given the next. Whoever has no key of the
 * cluster comes as one who may only knock, and is given a guest's.
 *
 * Spec: spec/broker.md#users.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AskFailure,
  BACK_MS,
  Clock,
  type NatsOptions,
  type NatsTransport,
  tellingLost,
  type Tracing,
} from '@natrium/bus';
import { connectIdentity, type ConnectOptions, isGood, joinRequest, type Link, OwnUser } from '@natrium/client';
import { brokerTls, type MasterConfig, shownAddress } from '@natrium/config';
import { fp, type Identity, type Signed } from '@natrium/envelope';
import { readCredentials } from '@natrium/keystore';
import { err, ok, type Result } from '@natrium/model';
import { contracts, inboxOf, joinInboxOf, knockInboxOf } from '@natrium/wire';
import { EXIT } from '../common/exit-codes.js';
import type { ConnectProblem } from '../ports.js';
import { whyNot } from './why-not.js';

const AGAIN_MS = 200;
/**
 * How long an acl-service is waited for that is there and silent, one time after the other: the broker may hand the next question to a
 * replica that does not stand still. The last ones are long enough for one that is only busy.
 */
const SILENCES_MS = [250, 250, 500, 500, 1000, 1000, 2000] as const;
/** Of very many who come at once each may have to wait that long for a user of the broker. */
const JOIN_MS = 5000;
/** A person waits at the terminal. */
const LOST_MS = 3000;
const SESSION_MS = 24 * 3_600_000;
const OWNER_ONLY = 0o600;

export interface Caller {
  readonly config: MasterConfig;
  readonly identity: Identity;
  /** The file that the identity is in; undefined: it was made for the occasion, and the cluster does not know it. */
  readonly keyPath: string | undefined;
  readonly firstRoot: Uint8Array;
  /** Of the roles document that lies on this host: none that is older counts. */
  readonly rolesSerial: number;
  /** That document: no chain without it counts either. */
  readonly newest: Signed | undefined;
  readonly tracing?: Tracing | undefined;
  /** Told when the broker that was there is away for longer than a moment, and when it is back. */
  readonly tell?: ((sentence: string) => void) | undefined;
}

export interface Session {
  readonly link: Link;
  readonly transport: NatsTransport;
  readonly user: OwnUser | undefined;
}

interface Coming extends Caller {
  /** How long an acl-service that is started anew is waited for, by the clock of `performance`. */
  readonly until: number;
}

/** @returns What is wrong when there is no way in. */
export async function openSession(caller: Caller): Promise<Result<Session, ConnectProblem>> {
  const coming = { ...caller, until: performance.now() + BACK_MS };
  if (caller.config.broker_auth === 'none') return session(coming, {});
  if (caller.keyPath === undefined) return asGuest(coming);
  const path = userPath(caller.keyPath);
  const kept = readText(path);
  if (kept !== undefined && isGood(kept, caller.identity, Date.now())) {
    const opened = await asUser(coming, kept, path);
    if (opened.ok) return opened;
  }
  const jwt = await entering(coming, 'join', (link) => askFor(link, caller.config.user));
  if (!jwt.ok) return jwt;
  keepText(path, jwt.value);
  return asUser(coming, jwt.value, path);
}

/** Where an account's user of the broker is kept: beside its key. */
export function userPath(keyPath: string): string {
  return `${keyPath.replace(/\.key$/, '')}.jwt`;
}

async function asUser(caller: Coming, jwt: string, path: string): Promise<Result<Session, ConnectProblem>> {
  const user = new OwnUser(caller.identity, jwt, (next) => {
    keepText(path, next);
  });
  const opened = await sessionOf(caller, user);
  return opened.ok ? ok({ ...opened.value, user }) : opened;
}

/** A guest's user is for this one session, and never renewed. */
async function asGuest(caller: Coming): Promise<Result<Session, ConnectProblem>> {
  const jwt = await entering(caller, 'knock', askToBeGuest);
  return jwt.ok ? sessionOf(caller, new OwnUser(caller.identity, jwt.value, () => undefined)) : jwt;
}

function sessionOf(caller: Coming, user: OwnUser): Promise<Result<Session, ConnectProblem>> {
  return session(caller, { user, inbox: inboxOf(fp(caller.identity.publicKey)) });
}

type Door = 'join' | 'knock';
const INBOXES = { join: joinInboxOf, knock: knockInboxOf } as const;

/** The credentials that let somebody ask for a user of the broker. */
export function doorPath({ pki_dir }: Pick<MasterConfig, 'pki_dir'>, door: Door): string {
  return join(pki_dir, 'broker', `${door}.creds`);
}

async function entering(
  caller: Coming,
  door: Door,
  ask: (link: Link) => Promise<Result<string, ConnectProblem>>,
): Promise<Result<string, ConnectProblem>> {
  const path = doorPath(caller.config, door);
  const credentials = readCredentials(path);
  if (credentials === undefined)
    return unavailable(`broker_auth is jwt, and there is no ${path}; natriumctl init makes it`);
  const { jwt, key } = credentials;
  const inbox = INBOXES[door](fp(caller.identity.publicKey));
  const opened = await session(caller, { user: { jwt: () => jwt, key }, inbox }, door);
  if (!opened.ok) return opened;
  const { link, transport } = opened.value;
  try {
    return await ask(link);
  } finally {
    await transport.drain();
  }
}

const START_ACL = 'start an acl-service (systemctl start natrium-acl), or look into its log';
const NO_USERS = 'the acl-service gives no users of the broker: its broker_auth is none';

async function askToBeGuest({ identity, bus, subjects, own, services }: Link): Promise<Result<string, ConnectProblem>> {
  const question = {
    contract: contracts.guest,
    body: { nkey: identity.nkeyPublic },
    subject: subjects.usrAcl(own.fp, 'guest'),
    to: () => services('acl'),
    backMs: BACK_MS,
  };
  const answer = await askedUntilHeard((ms) => bus.ask(question, contracts.guested, ms));
  if (!answer.ok) return unavailable(`the acl-service gave no guest's user of the broker (${answer.error})`);
  const { refusal, user } = answer.value.body;
  if (refusal !== null) return unavailable(refusal.sentence);
  return user === null ? unavailable(NO_USERS) : ok(user);
}

async function askFor(link: Link, id: string): Promise<Result<string, ConnectProblem>> {
  const { identity, bus, subjects, own, services } = link;
  const request = joinRequest(link, id, identity, own.announced);
  const question = {
    contract: contracts.join,
    body: { request, grains: {} },
    subject: subjects.join,
    to: () => services('acl'),
    backMs: BACK_MS,
  };
  const answer = await askedUntilHeard((ms) => bus.ask(question, contracts.joined, ms));
  if (!answer.ok) return unavailable(`the acl-service gave no user of the broker (${answer.error})`, START_ACL);
  const { state, user } = answer.value.body;
  if (state === 'full') return unavailable('too many ask to be let in at this moment; wait a moment and try again');
  if (state !== 'accepted')
    return err({ sentence: 'the key of this account is not an accepted one', exit: EXIT.noKey });
  return user === null ? unavailable(NO_USERS) : ok(user);
}

/** Whoever is let in already is told the same once more. */
async function askedUntilHeard<A>(ask: (ms: number) => Promise<Result<A, AskFailure>>): Promise<Result<A, AskFailure>> {
  let answer: Result<A, AskFailure> = err('timeout');
  for (const ms of [...SILENCES_MS, JOIN_MS]) {
    answer = await ask(ms);
    if (answer.ok || answer.error !== 'timeout') break;
  }
  return answer;
}

async function session(
  { config, identity, firstRoot, rolesSerial, newest, tracing, tell = () => undefined, until }: Coming,
  login: Pick<NatsOptions, 'user' | 'inbox'>,
  door?: Door,
): Promise<Result<Session, ConnectProblem>> {
  let transport: NatsTransport;
  try {
    transport = await tellingLost(
      { servers: config.nats, name: 'natrium-cli', tls: brokerTls(config), ...login },
      { where: config.nats.map(shownAddress).join(', '), tell, lostMs: LOST_MS },
    );
  } catch (error) {
    return err(whyNot(error, config));
  }
  const options: Greeting = {
    transport,
    cluster: config.cluster,
    identity,
    use: 'session',
    pin: { firstRoot },
    minSerial: rolesSerial,
    newest,
    clock: new Clock(config.clock_skew * 1000),
    epochMs: SESSION_MS,
    overlapMs: 0,
    entering: door,
    tracing,
  };
  const linked = await greeted(options, until);
  if (linked.ok) return ok({ link: linked.value, transport, user: undefined });
  await transport.drain();
  const { code, sentence } = linked.error;
  return unavailable(sentence, code === 'no_answer' ? START_ACL : undefined);
}

type Greeting = Omit<ConnectOptions, 'helloTimeoutMs'>;

/** While nobody listens, one that is started anew is waited for; one that is silent is asked again. */
async function greeted(options: Greeting, until: number): ReturnType<typeof connectIdentity> {
  for (let silences = 0; ;) {
    const linked = await connectIdentity({ ...options, helloTimeoutMs: SILENCES_MS[silences] ?? 0 });
    if (linked.ok || linked.error.code !== 'no_answer') return linked;
    const isSilent = linked.error.why === 'timeout';
    if (isSilent) silences += 1;
    if (silences === SILENCES_MS.length || (!isSilent && performance.now() >= until)) return linked;
    if (!isSilent) await pause(AGAIN_MS);
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined; // none, or not ours: a new one is asked for
  }
}

/** In place, since the folder is root's. It may be lost at any time: then the next call asks for another. */
function keepText(path: string, text: string): void {
  try {
    writeFileSync(path, `${text}\n`, { mode: OWNER_ONLY });
  } catch {
    // Not ours to write: each call asks for one.
  }
}

function unavailable(sentence: string, mend?: string): Result<never, ConnectProblem> {
  return err({ sentence, exit: EXIT.unavailable, ...(mend === undefined ? {} : { mend }) });
}
