/**
 * Every message of protocol version 1, in the order of a job's life.
 *
 * Changing a shape here is a protocol version 2. Spec: spec/wire.md.
 */
import { ABSENT_WHYS } from '@natrium/model';
import * as z from 'zod/mini';
import { contract } from './contract.js';
import { fields, listOf } from './codec.js';
import { eventRefused, events, eventsStored, fire, fired, noted } from './event-contracts.js';
import {
  bytes,
  bytesOf,
  count,
  digest,
  GrantRun,
  instance,
  jid,
  MAX_MINIONS,
  MAX_REQUEST,
  minionId,
  Outcome,
  publicKey,
  refused,
  returnStatus,
  signature,
  signed,
  text,
  userJwt,
  value,
  word,
} from './fields.js';
import { ended, keeps, kept } from './run-contracts.js';
import { succeed, succeeded } from './succession-contracts.js';

export * from './event-contracts.js';
export * from './run-contracts.js';
export * from './succession-contracts.js';
export { GrantRun, Outcome };

/** nil: an external user or a token, whose credential stands beside the request. */
const anySignature = z.nullable(signature);

/** nil: all that the request means. */
const batch = z.nullable(listOf(minionId, MAX_MINIONS));

/** The credential of an external user or a token, beside a request without a signature. */
export const Credential = fields({ eauth: text(64), username: text(256), secret: text(4096), token: text(256) });

/** One minion's answer as the caller hears it. */
export const Returned = fields({
  id: minionId,
  ret: value,
  retcode: z.int(),
  success: z.boolean(),
  out: z.nullable(text(64)),
});

export const AbsentMinion = fields({
  id: minionId,
  why: z.enum(ABSENT_WHYS),
  sentence: z.nullable(text(4096)),
});

/**
 * A caller asks for a job. `follow`: `all` = every return and the end; `jid` = only the start; `preview` = who is meant,
 * nothing is sent. `batch`: the same signed request, for these of its minions only.
 */
export const publish = contract(
  'publish',
  ['identity', 'runner', 'reactor'],
  fields({
    request: bytes(MAX_REQUEST),
    signature: anySignature,
    credential: z.nullable(Credential),
    grantRun: z.nullable(GrantRun),
    follow: z.enum(['all', 'jid', 'preview']),
    batch,
  }),
);

/** What the caller hears of the job: any part may be absent; `end` closes it, and so does a refusal. */
export const news = contract(
  'news',
  ['gateway'],
  fields({
    refusal: z.nullable(refused),
    started: z.nullable(
      fields({
        jid,
        minions: listOf(minionId, MAX_MINIONS),
        missing: listOf(minionId, MAX_MINIONS),
        rule: text(1024),
      }),
    ),
    returns: listOf(Returned, MAX_MINIONS),
    end: z.nullable(listOf(AbsentMinion, MAX_MINIONS)),
  }),
);

/** A caller asks for a runner. */
export const runner = contract(
  'runner',
  ['identity', 'reactor'],
  fields({
    request: bytes(MAX_REQUEST),
    signature: anySignature,
    credential: z.nullable(Credential),
    follow: z.enum(['all', 'jid']),
  }),
);

export const ran = contract(
  'ran',
  ['gateway', 'acl', 'runner'],
  fields({ refusal: z.nullable(refused), jid: text(20), outcome: z.nullable(Outcome) }),
);

/** The gateway asks the acl-service to decide; the request travels verbatim. `callerKey` names no one: it is only the key to check with. */
export const grant = contract(
  'grant',
  ['gateway'],
  fields({
    request: bytes(MAX_REQUEST),
    signature: anySignature,
    credential: z.nullable(Credential),
    grantRun: z.nullable(GrantRun),
    callerKey: z.nullable(publicKey),
    jid,
    batch,
  }),
);

export const granted = contract(
  'granted',
  ['acl'],
  fields({
    refusal: z.nullable(refused),
    grant: z.nullable(signed),
    members: listOf(fields({ id: minionId, key: publicKey }), MAX_MINIONS),
    missing: listOf(minionId, MAX_MINIONS),
    rule: text(1024),
  }),
);

/**
 * A login, the look at a session's token, or its end. `address` is the client's, `about` the HTTP request's id, for the audit:
 * only a gateway's word counts for these.
 */
export const auth = contract(
  'auth',
  ['gateway', 'identity'],
  fields({
    what: z.enum(['login', 'check', 'logout']),
    use: z.enum(['session', 'token']),
    credential: Credential,
    expire: z.nullable(count),
    address: text(64),
    about: text(64),
  }),
);

/** Whose token it is. `sees`: which events of others it may hear. Times in ms since 1970. */
export const Session = fields({
  name: text(256),
  eauth: text(64),
  start: count,
  expire: count,
  perms: value,
  sees: z.enum(['all', 'own']),
});

/** `token` is only told at a login. */
export const authed = contract(
  'authed',
  ['acl'],
  fields({ refusal: z.nullable(refused), token: text(64), session: z.nullable(Session) }),
);

/** The job to one minion; its private part is the place in the grant's tree. */
export const job = contract('job', ['gateway'], fields({ request: bytes(MAX_REQUEST), grant: signed, instance }));

/** What a minion made of a job, once. */
export const returned = contract(
  'return',
  ['identity'],
  fields({
    jid,
    digest,
    status: returnStatus,
    code: z.nullable(text(64)),
    outcome: Outcome,
  }),
);

/** Runs no module: which minions or services are there, and which of these jobs are still running; of none: which jobs at all. */
export const presence = contract('presence', ['gateway'], fields({ jids: listOf(jid, 256) }));
export const here = contract('here', ['identity', 'gateway', 'runner'], fields({ running: listOf(jid, 256) }));

/** Runs no module: the minion shall send its data again, after gathering its grains anew or for its pillar only; or ask whether it is still accepted. */
export const refresh = contract('refresh', ['gateway'], fields({ what: z.enum(['grains', 'pillar', 'standing']) }));

/** A minion's signed grains and its newest `jobs` announcement; the answer is its pillar. */
export const data = contract('data', ['identity'], fields({ data: signed, announcement: signed }));
export const pillar = contract('pillar', ['acl'], fields({ pillar: value, revision: count }));

/** One thing that a minion keeps in its mine; `allowTgt` says who may read it, empty: every minion. */
export const MineItem = fields({ name: word, value, allowTgt: text(4096), allowTgtType: text(32) });

/** A minion keeps things for others (`put` adds, `replace` takes all else away, `delete` takes `names` away), or reads theirs (`get`). */
export const mine = contract(
  'mine',
  ['identity'],
  fields({
    what: z.enum(['put', 'replace', 'delete', 'get']),
    items: listOf(MineItem, 1000),
    names: listOf(word, 1000),
    tgt: value,
    tgtType: text(32),
  }),
);

/** A newcomer asks to be let in, and shows the grains that its configuration names; the answer says where it stands. */
export const join = contract('join', ['identity'], fields({ request: signed, grains: value }));
export const joined = contract(
  'joined',
  ['acl'],
  fields({
    state: z.enum(['pending', 'accepted', 'denied', 'rejected', 'full']),
    record: z.nullable(signed),
    user: z.nullable(userJwt),
  }),
);

/** An identity whose user of the broker ends soon asks for the next one. */
export const renew = contract('renew', ['identity'], fields({ expires: count }));
export const renewed = contract('renewed', ['acl'], fields({ user: z.nullable(userJwt) }));

/** Whoever has no key of the cluster asks for a user of the broker by which external users log in. `nkey`: of the sender's own making. */
export const guest = contract('guest', ['identity'], fields({ nkey: publicKey }));
export const guested = contract(
  'guested',
  ['acl'],
  fields({ refusal: z.nullable(refused), user: z.nullable(userJwt) }),
);

/** An account's signed request about keys, audit, accounts or inventory: the function's name says which. */
export const admin = contract('admin', ['identity'], fields({ request: bytes(MAX_REQUEST), signature }));
export const adminDone = contract('admin_done', ['acl'], fields({ refusal: z.nullable(refused), result: value }));

/** What was asked and granted, as it is handed on. */
const grantedRun = fields({
  request: bytes(MAX_REQUEST),
  signature: anySignature,
  callerKey: z.nullable(publicKey),
  grant: signed,
  jid,
});

/** The gateway hands a granted run to a runner-service; one that finds it taken by another asks that one. */
export const run = contract('run', ['gateway', 'runner'], grantedRun);

/** The runner-service hands a granted `key.*` of the wheel on to the authority, which proves the caller again by itself. */
export const wheel = contract('wheel', ['runner'], grantedRun);

/** What a running runner asks of a gateway or the acl-service; its grant-run proves that it may. Gateways see each grant-run: they may not use it. */
export const read = contract('read', ['runner'], fields({ what: word, args: value, grantRun: z.nullable(GrantRun) }));
export const answer = contract('answer', ['gateway', 'acl'], fields({ refusal: z.nullable(refused), result: value }));
/** Comes each second before an answer that takes longer: who asked waits on. */
export const working = contract('working', ['gateway'], fields({ what: word }));

/** Hello, the one unsealed exchange: its question. */
export const helloQuestion = fields({ version: z.literal(1), word: z.literal('hello'), nonce: bytesOf(32) });
/** Its answer: the chain of roles documents from the first root, the services that are live, the time signed over the nonce. */
export const helloAnswer = fields({
  version: z.literal(1),
  firstRoot: publicKey,
  chain: z.array(signed).check(z.minLength(1), z.maxLength(1024)),
  services: listOf(signed, 1024),
  time: signed,
});

export const contracts = [
  publish, news, runner, ran, grant, granted, auth, authed, job, returned, presence, here, refresh, data, pillar, mine, join, joined, renew, renewed, guest, guested, succeed, succeeded, admin, adminDone, run, kept, keeps, ended, wheel, read, answer, working,
  events, eventsStored, fire, fired, eventRefused, noted,
] as const; // prettier-ignore
