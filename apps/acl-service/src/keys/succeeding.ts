/**
 * A running minion changes its identity: what `decideSuccession` decides is written, and recorded.
 *
 * Asked in two steps, so that nothing is lost between them. `prepare` lets the new identity onto the broker, tells the
 * gateways where its jobs will be sealed to and keeps its grains; nobody is let in by it. `commit` puts it in the old one's
 * place. Both may be asked again: the old identity hears the same, also after it has left.
 *
 * Spec: spec/envelope.md#succession.
 */
import type { Clock, Opened, Store } from '@natrium/bus';
import {
  type CheckedJoin,
  type Cluster,
  encode,
  equalBytes,
  fingerprint,
  readJoin,
  signedToWire,
  toHex,
  verify,
} from '@natrium/envelope';
import { type Budget, decideSuccession, type KeyRecord, type SuccessionStep } from '@natrium/flow';
import { err, ok, parseMinionId, type Refusal, refusal, type RefusalCode, type Result } from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';
import type { Logger } from 'pino';
import type { AuditLog } from '../audit/audit-log.js';
import type { BrokerUsers } from '../broker/broker-users.js';
import type { Inventory } from '../data/inventory.js';
import type { KeyEvents } from './key-events.js';
import type { Mines } from '../data/mines.js';
import { announcementPlace } from '../data/minion-data.js';
import type { Roster } from '../roster/roster.js';

type Asked = Body<typeof contracts.succeed>;
type Succeeded = Body<typeof contracts.succeeded>;

/** What is used of a `RoleLink`. */
interface Link {
  readonly roles: { readonly cluster: Cluster };
  readonly clock: Pick<Clock, 'now' | 'own' | 'skewMs'>;
  readonly announcements: Pick<Store, 'put' | 'delete'>;
}

interface Parts {
  readonly roster: Roster;
  readonly inventory: Pick<Inventory, 'write' | 'forget'>;
  readonly mines: Pick<Mines, 'pass' | 'forget'>;
  readonly users: BrokerUsers | undefined;
  readonly audit: Pick<AuditLog, 'write' | 'refuse'>;
  readonly events: Pick<KeyEvents, 'succeeded'>;
  readonly log: Pick<Logger, 'error'>;
  /** Per minion: each change of an identity leaves records in the roster and in the audit that are kept for ever. */
  readonly budget: Budget;
}

interface Proved {
  readonly old: KeyRecord;
  readonly join: CheckedJoin;
  readonly step: SuccessionStep;
}

const AGE_MS = 60_000;
const RACES = 8;

export class Succeeding {
  /** By hex of an accepted key: the new identity that it has introduced last. */
  readonly #candidates = new Map<string, Uint8Array>();

  constructor(
    private readonly link: Link,
    private readonly parts: Parts,
  ) {
    parts.roster.onChange((record) => {
      if (record.state !== 'accepted') this.#endCandidateOf(record);
    });
  }

  async handle({ body, party }: Opened<typeof contracts.succeed>): Promise<Succeeded> {
    const old = this.parts.roster.byKey(party.owner.key);
    if (!this.parts.budget.take(old?.name ?? '', this.link.clock.own())) return refused(TOO_FAST);
    for (let race = 0; race < RACES; race += 1) {
      const proved = this.#prove(body, party.owner.key);
      if (!proved.ok) {
        this.#recordRefused(old, proved.error);
        return refused(proved.error);
      }
      if (body.what === 'prepare') return this.#prepare(proved.value, body);
      if (proved.value.step === 'done' || (await this.#commit(proved.value, body))) return this.#told(proved.value);
    }
    return refused(TOO_FAST);
  }

  /** The old key's signature stands over the very request that the new key has signed. */
  #prove({ join: object, signature }: Asked, oldKey: Uint8Array): Result<Proved, Refusal> {
    const { clock, roles } = this.link;
    const join = readJoin(object, roles.cluster, { now: clock.now(), skewMs: clock.skewMs, maxAgeMs: AGE_MS });
    if (!join.ok) return err(PROBLEMS[join.error]);
    if (!verify('succession', roles.cluster, oldKey, object.bytes, signature)) return err(NOT_VOUCHED);
    const id = parseMinionId(join.value.id);
    if (id === undefined || join.value.party.use !== 'jobs') return err(PROBLEMS.shape);
    if (this.parts.users?.isAnothers(join.value) === true) return err(NOT_ITS_NKEY);
    const old = this.parts.roster.byKey(oldKey);
    const step = decideSuccession({ id, old, next: this.parts.roster.byKey(join.value.identity) });
    if (!step.ok) return step;
    return old === undefined ? err(PROBLEMS.shape) : ok({ old, join: join.value, step: step.value });
  }

  async #prepare({ old, join, step }: Proved, { data }: Asked): Promise<Succeeded> {
    if (step === 'go' && !(await this.#introduce(old, join, data))) return refused(PROBLEMS.shape);
    const user = await this.parts.users?.candidateOf(join);
    return { refusal: null, record: null, user: user ?? null };
  }

  /** Stores what the new identity brings along, which counts for nothing before it is accepted. Of each old key the last is kept. */
  async #introduce(old: KeyRecord, { identity, announcement }: CheckedJoin, data: Asked['data']): Promise<boolean> {
    const oldKey = toHex(old.identity);
    const before = this.#candidates.get(oldKey);
    this.#candidates.set(oldKey, identity);
    if (before !== undefined) await this.#forgetUnlessLast(before, oldKey);
    if (!(await this.parts.inventory.write(identity, data))) return false;
    await this.link.announcements.put(announcementPlace(identity), encode(signedToWire(announcement)));
    await this.#forgetUnlessLast(identity, oldKey); // another may have come after it meanwhile
    return true;
  }

  async #forgetUnlessLast(candidate: Uint8Array, oldKey: string): Promise<void> {
    const last = this.#candidates.get(oldKey);
    if ((last !== undefined && equalBytes(last, candidate)) || !this.parts.roster.isNobodys(candidate)) return;
    await this.parts.inventory.forget(candidate);
    await this.link.announcements.delete(announcementPlace(candidate));
  }

  /** This key is not accepted any more: the one that it introduced has taken its place, or never will. */
  #endCandidateOf(old: KeyRecord): void {
    const oldKey = toHex(old.identity);
    const candidate = this.#candidates.get(oldKey);
    if (candidate === undefined) return;
    this.#candidates.delete(oldKey);
    this.#forgetUnlessLast(candidate, oldKey).catch((cause: unknown) => {
      this.parts.log.error({ err: cause, id: old.name }, 'data of a new identity that was not let in are still stored');
    });
  }

  /** @returns false when it has to be decided anew. */
  async #commit({ old, join, step }: Proved, { data }: Asked): Promise<boolean> {
    const { roster, mines } = this.parts;
    if (step === 'go' && !(await this.#introduce(old, join, data))) return false;
    await mines.pass(old.identity, join.identity);
    if (!(await roster.succeed(old, join, join.announcement))) return false;
    this.#record(old, join);
    this.parts.events.succeeded(old.name);
    return true;
  }

  /** The change stands whether or not this can be done: tried again when the same is asked again. */
  async #forget({ identity, name }: KeyRecord): Promise<void> {
    const { inventory, mines, log } = this.parts;
    const { announcements } = this.link;
    const forgetting = [
      inventory.forget(identity),
      mines.forget(identity),
      announcements.delete(announcementPlace(identity)),
    ];
    for (const forgotten of await Promise.allSettled(forgetting)) {
      if (forgotten.status === 'rejected')
        log.error(
          { err: forgotten.reason as unknown, id: name },
          'data of an identity that was succeeded are still stored',
        );
    }
  }

  async #told({ old, join: { identity } }: Proved): Promise<Succeeded> {
    const { roster, users } = this.parts;
    await this.#forget(old);
    const record = roster.byKey(identity);
    const user = record === undefined ? undefined : await users?.userOf(record);
    return { refusal: null, record: roster.signedOf(identity) ?? null, user: user ?? null };
  }

  #record({ name, identity }: KeyRecord, join: CheckedJoin): void {
    this.parts.audit.write({
      time: this.link.clock.now(),
      what: 'key',
      caller: { kind: 'minion', name },
      digest: null,
      jid: null,
      verdict: 'allow',
      rule: null,
      detail: { fun: 'key.succeed', id: name, old: fingerprint(identity), new: fingerprint(join.identity) },
    });
  }

  #recordRefused(old: KeyRecord | undefined, { code }: Refusal): void {
    const detail = { fun: 'key.succeed', ...(old === undefined ? {} : { fingerprint: fingerprint(old.identity) }) };
    const caller = old === undefined ? null : { kind: old.kind, name: old.name };
    this.parts.audit.refuse({ caller, digest: null, code, detail });
  }
}

const of = (code: RefusalCode, sentence: string) => refusal(code, sentence);
const TOO_FAST = of('slow_down', 'too many new identities in a short time; wait a minute and ask again');
const NOT_VOUCHED = of('bad_signature', 'the new identity does not carry a signature of the one that asks');
const NOT_ITS_NKEY = of('bad_request', 'the new identity names the NATS key of somebody else');
const PROBLEMS = {
  shape: of('bad_request', 'not a request for a new identity'),
  announcement: of('bad_request', 'the new identity does not announce a key of its own'),
  signature: of('bad_signature', 'the new identity does not carry its own signature'),
  expired: of('request_expired', 'the request for a new identity has expired; ask again'),
  future: of('request_from_future', 'the request for a new identity is from the future'),
} as const;

function refused(why: Refusal): Succeeded {
  return { refusal: why, record: null, user: null };
}
