/**
 * Hello: how a process learns the roles document, the live services and the time, checked in this order: the pin, the
 * roles' signatures, that they continue what is known, the time, the expiry.
 *
 * Spec: spec/envelope.md#roles, #time.
 */
import {
  decode,
  encode,
  type KnownParty,
  randomBytes,
  readTime,
  type Roles as VerifiedRoles,
  type RolesChain,
  type RolesPin,
  type Signed,
  toHex,
  verifyRolesChain,
  type Wire,
} from '@natrium/envelope';
import { err, MAX_VALUES, ok, type Result } from '@natrium/model';
import { contracts, readAs, type Subjects, writeAs } from '@natrium/wire';
import type { Clock } from '../parties/clock.js';
import { continues, Roles, rolesEnded } from '../parties/roles.js';
import type { Listening, Transport } from '../ports/transport.js';
import type { AskFailure } from './conversation.js';

export interface HelloProblem {
  readonly code: 'no_answer' | 'wrong_pin' | 'roles_invalid' | 'time_invalid' | 'roles_expired' | 'malformed';
  readonly sentence: string;
  /** Of `no_answer`. */
  readonly why?: Unheard;
}

/** Nobody hears hello, as the broker says; or there was no answer in time, as when whoever hears it stands still, or the broker does. */
type Unheard = Extract<AskFailure, 'no_responders' | 'timeout'>;

export interface Greeting {
  readonly roles: Roles;
  readonly services: readonly KnownParty[];
}

/** `first`: trust the root that answers; only for a host that was told to, and only once. */
export type HelloPin = RolesPin | 'first';

export interface HelloLimits {
  readonly minSerial: number;
  /** The newest roles document that is known: no chain without it counts, and no time under its keys. */
  readonly newest: Signed | undefined;
  readonly timeoutMs: number;
  readonly inbox: string | undefined;
}

const MAX_ROUND_TRIP_MS = 2000;
const TOO_LATE: HelloProblem = {
  code: 'no_answer',
  sentence: 'the answer to hello came too late, or the clock of this host was set meanwhile',
  why: 'timeout',
};

/**
 * Asks, and goes on listening until an answer is good or the time is over: whoever else can answer on the broker may be
 * faster than the acl-service, and must not thereby keep anybody out.
 *
 * @returns The first good answer; else what was wrong with the last, `no_answer` when there was none.
 */
export async function hello(
  transport: Transport,
  subjects: Subjects,
  pin: HelloPin,
  clock: Clock,
  limits: HelloLimits,
): Promise<Result<Greeting, HelloProblem>> {
  const nonce = randomBytes(32);
  const question = encode(writeAs(contracts.helloQuestion, { version: 1, word: 'hello', nonce }) as Wire);
  const at = readingOf(clock);
  const inbox = `${limits.inbox ?? '_INBOX_HELLO'}.${toHex(randomBytes(12))}`;
  let last: Result<never, HelloProblem> | undefined;
  const good = await firstGood(
    transport,
    subjects.hello,
    question,
    { timeoutMs: limits.timeoutMs, inbox },
    (payload) => {
      const read = readAnswer(payload, { ...limits, pin, nonce, clock, at });
      if (!read.ok) last = read;
      return read.ok ? read.value : undefined;
    },
  );
  return good.ok ? good : (last ?? unheard(good.error, subjects.cluster));
}

function unheard(why: Unheard, cluster: string): Result<never, HelloProblem> {
  const sentence = {
    no_responders: `no acl-service of the cluster ${cluster} answers; is natrium-acl running?`,
    timeout: `no acl-service of the cluster ${cluster} answered in time; is natrium-acl busy, or does it stand still?`,
  };
  return err({ code: 'no_answer', sentence: sentence[why], why });
}

interface Asked extends HelloLimits {
  readonly pin: HelloPin;
  readonly nonce: Uint8Array;
  readonly clock: Clock;
  readonly at: Reading;
}

/** A look at both clocks: at the one that may be set, and at the one that only goes on. */
interface Reading {
  readonly ownMs: number;
  readonly elapsedMs: number;
}

function readingOf(clock: Clock): Reading {
  return { ownMs: clock.own(), elapsedMs: clock.elapsed() };
}

/** Whether the answer came soon enough, by both clocks: had the own clock been set in between, half of that would be in the offset. */
function isPrompt(asked: Reading, heard: Reading): boolean {
  const trips = [heard.ownMs - asked.ownMs, heard.elapsedMs - asked.elapsedMs];
  return trips.every((ms) => ms >= 0 && ms <= MAX_ROUND_TRIP_MS);
}

/** The clock moves only for an answer whose time the acl-service signed, under roles that continue what is known. */
function readAnswer(payload: Uint8Array, asked: Asked): Result<Greeting, HelloProblem> {
  const { clock } = asked;
  const heard = readingOf(clock);
  let said;
  try {
    said = readAs(contracts.helloAnswer, decode(payload, MAX_VALUES));
  } catch {
    return problem('malformed', 'the answer to hello is not one');
  }
  const chain = [said.firstRoot, said.chain] as const;
  const read = readRoles(chain, asked);
  if (!read.ok) return read;
  const { document, cluster } = read.value;
  const time = readTime(said.time, cluster, document.roles.acl, asked.nonce);
  if (!time.ok) return problem('time_invalid', 'the time in the answer to hello is not signed by the acl-service');
  if (!isPrompt(asked.at, heard)) return err(TOO_LATE);
  clock.adjust(time.value, asked.at.ownMs, heard.ownMs);
  const ended = rolesEnded(document, clock.now());
  if (ended !== undefined) return problem('roles_expired', ended);
  const roles = new Roles(cluster, document, chain);
  const services = said.services.flatMap((announced) => {
    const party = roles.read(announced, clock.now(), clock.skewMs);
    return party.ok ? [party.value] : [];
  });
  return ok({ roles, services });
}

function readRoles(chain: RolesChain, asked: Asked): Result<VerifiedRoles, HelloProblem> {
  const pin = asked.pin === 'first' ? { firstRoot: chain[0] } : asked.pin;
  const read = verifyRolesChain(chain, pin, asked.minSerial);
  if (!read.ok) {
    if (read.error === 'pin')
      return problem('wrong_pin', 'the cluster’s root key is not the one that master_finger names; going no further');
    return problem('roles_invalid', read.error === 'serial' ? olderSentence(asked) : notAcceptable(read.error));
  }
  if (continues(chain, asked.newest)) return read;
  return problem('roles_invalid', notAcceptable('it does not continue the newest that was seen'));
}

function notAcceptable(why: string): string {
  return `the roles document is not acceptable: ${why}`;
}

function olderSentence({ minSerial }: Asked): string {
  return `the acl-service's roles document is older than number ${String(minSerial)}, which is known here: hand that one out to its host (tools/role-keys.mjs); after a restore, docs/keys.md#backup-and-restore`;
}

function problem(code: HelloProblem['code'], sentence: string): Result<never, HelloProblem> {
  return err({ code, sentence });
}

/** More answers than this to one question are a flood, not a cluster. */
const MAX_ANSWERS = 256;

/** One plain question on a subject of its own inbox, until an answer is good, the time is over or the broker says that nobody listens. */
async function firstGood<T>(
  transport: Transport,
  subject: string,
  question: Uint8Array,
  { timeoutMs, inbox }: { readonly timeoutMs: number; readonly inbox: string },
  read: (payload: Uint8Array) => T | undefined,
): Promise<Result<T, Unheard>> {
  let answers = 0;
  return new Promise((resolve) => {
    let listening: Listening | undefined;
    const finish = (end: Result<T, Unheard>) => {
      clearTimeout(timer);
      void listening?.close();
      resolve(end);
    };
    const timer = setTimeout(finish, Math.min(timeoutMs, MAX_ROUND_TRIP_MS), err('timeout'));
    try {
      listening = transport.subscribe(inbox, (message) => {
        if (message.noResponders) {
          finish(err('no_responders'));
          return;
        }
        answers += 1;
        const good = answers > MAX_ANSWERS ? undefined : read(message.payload);
        if (good !== undefined) finish(ok(good));
      });
      transport.publish(subject, question, inbox);
    } catch {
      finish(err('no_responders')); // the connection is closed: this party is going, and nobody heard it
    }
  });
}
