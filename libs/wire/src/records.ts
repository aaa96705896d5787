/** What is stored in JetStream, sealed: the same fixed-length arrays as messages. Spec: spec/wire.md#records. */
import { PRINCIPAL_KINDS } from '@natrium/model';
import * as z from 'zod/mini';
import { fields, listOf } from './codec.js';
import {
  bytes,
  bytesOf,
  count,
  digest,
  jid,
  MAX_MINIONS,
  MAX_REQUEST,
  minionId,
  publicKey,
  returnStatus,
  signature,
  signed,
  text,
  value,
  word,
} from './fields.js';
import { MineItem, Outcome } from './contracts.js';

export const Caller = fields({ kind: z.enum(PRINCIPAL_KINDS), name: word });
export const Member = fields({ id: minionId, key: publicKey });

/** Where jobs are; the first has the groups of returns and of grants as well. */
export const JOB_BUCKETS = ['jobs', 'jobs2'] as const;

/** A job as it was asked for, created under its request's digest before the first minion hears of it. */
export const AskedJob = fields({
  request: bytes(MAX_REQUEST),
  signature: z.nullable(signature),
  /** Of whoever asked. */
  callerKey: z.nullable(publicKey),
  /** These of the request's minions only. */
  batch: z.nullable(listOf(minionId, MAX_MINIONS)),
  jid,
  instance: word,
  started: count,
});
export type AskedJob = z.output<typeof AskedJob>;

/** What was granted of it, and the digest that it stands under. */
export const JobGrant = fields({
  jid,
  place: digest,
  caller: Caller,
  grant: signed,
  members: listOf(Member, MAX_MINIONS),
  missing: listOf(minionId, MAX_MINIONS),
});
export type JobGrant = z.output<typeof JobGrant>;

/** Grants are stored in groups. */
export const JobGrantGroup = listOf(JobGrant, 10_000);

/** All that is known of a job. */
export type JobRecord = AskedJob & Omit<JobGrant, 'place'>;

/** One return, at most one for each asked (jid, minion). */
export const StoredReturn = fields({
  jid,
  id: minionId,
  status: returnStatus,
  outcome: Outcome,
  at: count,
});
export type StoredReturn = z.output<typeof StoredReturn>;

/** Returns are stored in groups. */
export const ReturnGroup = listOf(StoredReturn, 10_000);

/** A key that waits for acceptance, with the place where the joiner hears of it. */
export const RosterEntry = fields({
  record: signed,
  reply: z.nullable(text(256)),
  question: z.nullable(bytesOf(16)),
  announcement: z.nullable(signed),
});

/** A minion's signed grains as the acl-service keeps them. */
export const DataEntry = fields({ identity: publicKey, data: signed });

/** A minion's mine. */
export const MineEntry = fields({ identity: publicKey, items: listOf(MineItem, 1000) });

/** A token, under the hash of its text: whose it is, and the groups of the time of issue. Times in ms since 1970. */
export const TokenEntry = fields({
  use: z.enum(['session', 'token']),
  eauth: text(64),
  name: text(256),
  groups: listOf(text(256), 4096),
  start: count,
  expires: count,
  list: z.nullable(value),
});
export type TokenEntry = z.output<typeof TokenEntry>;

/** Logins of one account or one address: how many failed, how many are looked at now, and until when that counts, in ms since 1970. */
export const LoginTally = fields({ who: text(32), failed: count, pending: count, until: count });
export type LoginTally = z.output<typeof LoginTally>;

/** Tallies are stored in a fixed number of groups. */
export const TallyGroup = listOf(LoginTally, 4096);

/** A request to the acl-service that was carried out; after `until`, in ms since 1970, it would be refused anyway. */
export const DoneRequest = fields({ until: count });

/** Which policy an acl-service has in force, whether it could not take the newest files, and when it said so, in ms since 1970. */
export const PolicyReport = fields({ revision: digest, refused: z.boolean(), at: count });

/** A run that an instance has taken on: nobody else starts it. */
export const RunRecord = fields({ digest, instance: word, jid, started: count });

/** A run that a gateway has granted and whose end is not kept yet; `instance`: the gateway that sees to that. */
export const OpenRun = fields({ request: bytes(MAX_REQUEST), caller: Caller, jid, instance: word });
export type OpenRun = z.output<typeof OpenRun>;

/** Who fired an event: the name that the envelope proved, or a service of a role. */
export const EventOrigin = fields({ kind: z.enum([...PRINCIPAL_KINDS, 'service', 'local']), name: word });
export type EventOrigin = z.output<typeof EventOrigin>;

export const StoredEvent = fields({
  number: count,
  tag: text(1024),
  data: value,
  stamp: text(32),
  origin: EventOrigin,
});
export type StoredEvent = z.output<typeof StoredEvent>;

/** Events of one sender, in the order of their numbers; `through` is the highest number that is settled with it. */
export const EventBatch = fields({ sender: word, through: count, events: listOf(StoredEvent, 10_000) });
export type EventBatch = z.output<typeof EventBatch>;

/** How far an event sink has delivered, and the instance that does it now; none: it was handed back. */
export const SinkPlace = fields({ holder: text(64), sequence: count, index: count });
export type SinkPlace = z.output<typeof SinkPlace>;
