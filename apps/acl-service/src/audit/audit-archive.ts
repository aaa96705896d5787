/**
 * Cutting off what was archived. Somebody who has a copy asks for a signed cut, keeps it with the copy, and puts it in force;
 * only then is anything deleted. The verifier takes a beginning for lost by right only where the cut in force names its last record.
 *
 * Whole groups go, and a group stays behind each: so nothing that is still written is touched, and each chain keeps its end.
 *
 * Spec: spec/envelope.md#audit, docs/audit.md.
 */
import { createOrUpdate, type Entry, type Store, StoredCorrupt } from '@natrium/bus';
import {
  type AuditCut,
  type ChainEnd,
  type Cluster,
  encode,
  equalBytes,
  MAX_CUTS,
  readAudit,
  readAuditCut,
  type Signed,
  signAuditCut,
  signedIn,
  signedToWire,
  type SigningKey,
} from '@natrium/envelope';
import { ok, type Refusal, refuse, type Result } from '@natrium/model';
import { type AuditIndex, groupKey, recordsIn, unlessCorrupt } from './audit-index.js';

interface Options {
  readonly acl: SigningKey;
  readonly cluster: Cluster;
  /** Every key that the acl role ever had. */
  aclKeys(): readonly Uint8Array[];
  now(): number;
  /** `audit_archive_after`; 0: never. */
  days(): number;
}

/** What one page of the stream had of the beginnings that are cut off. */
export interface Swept {
  /** Groups that are deleted now. */
  readonly groups: number;
  readonly next: number;
  readonly isLast: boolean;
}

/** Of the cut, in the bucket of the audit. */
const KEY = 'cut';
const DAY_MS = 86_400_000;
const PAGE_RECORDS = 10_000;
const AT_ONCE = 64;

export class AuditArchive {
  constructor(
    private readonly store: Store,
    private readonly index: AuditIndex,
    private readonly options: Options,
  ) {}

  /** What is younger than this stays, in ms since 1970. */
  before(): Result<number, Refusal> {
    const days = this.options.days();
    return days > 0 ? ok(this.options.now() - days * DAY_MS) : refuse('not_permitted', KEPT);
  }

  /** As it is stored, whoever has signed it: who verifies says what is wrong with it. */
  async stored(): Promise<Signed | undefined> {
    const entry = await this.store.get(KEY).catch(unlessCorrupt);
    return entry && signedIn(entry.value);
  }

  /** Changes nothing: what is signed here counts once it is in force. @param asked The last record that is to go of each chain. */
  async sign(asked: readonly ChainEnd[]): Promise<Result<Signed, Refusal>> {
    const before = this.before();
    if (!before.ok) return before;
    const ends = new Map((await this.#inForce()).map((end) => [end.chain, end]));
    for (const end of asked) {
      const problem = await this.#problemWith(end, before.value);
      if (problem !== undefined) return refuse('bad_request', `chain ${end.chain}: ${problem}`);
      if (end.number >= (ends.get(end.chain)?.number ?? -1)) ends.set(end.chain, end);
    }
    if (ends.size > MAX_CUTS) return refuse('bad_request', `a cut names at most ${String(MAX_CUTS)} chains`);
    const cut: AuditCut = { time: this.options.now(), ends: [...ends.values()] };
    return ok(signAuditCut(this.options.acl, this.options.cluster, cut));
  }

  /** From now on the verifier goes by this cut. One that takes back any part of the one before is refused. */
  async putInForce(signed: Signed): Promise<Result<null, Refusal>> {
    const before = this.before();
    if (!before.ok) return before;
    const read = this.#read(signed);
    if (read === undefined) return refuse('bad_request', 'this cut is not signed by the acl role of this cluster');
    const revision = await this.#revision();
    const numbers = new Map(read.ends.map(({ chain, number }) => [chain, number]));
    if ((await this.#inForce()).some(({ chain, number }) => number > (numbers.get(chain) ?? -1))) return OVERTAKEN;
    await this.index.noteEnds([...numbers.keys()]);
    const value = encode(signedToWire(signed));
    const written = await createOrUpdate(this.store, KEY, value, revision);
    return written === undefined ? OVERTAKEN : ok(null);
  }

  /** Deletes what is cut off of one page of the stream. Done twice, or broken off and begun anew, it comes to the same. */
  async sweep(from: number): Promise<Swept> {
    const numbers = new Map((await this.#inForce()).map(({ chain, number }) => [chain, number]));
    const { groups, next, isLast } = await this.index.page({ from, limit: PAGE_RECORDS });
    const gone = groups.filter(({ chain, first }) => first <= (numbers.get(chain) ?? -1));
    for (let begin = 0; begin < gone.length; begin += AT_ONCE) {
      const some = gone.slice(begin, begin + AT_ONCE);
      await Promise.all(some.map(({ chain, first, at }) => this.store.delete(groupKey(chain, first), at)));
    }
    return { groups: gone.length, next, isLast };
  }

  /** Why a chain may not be cut behind this record. */
  async #problemWith({ chain, number, hash }: ChainEnd, before: number): Promise<string | undefined> {
    const next = await this.store.get(groupKey(chain, number + 1)).catch(unlessCorrupt);
    const record = next && firstIn(next);
    if (record?.chain !== chain || record.number !== number + 1)
      return `no stored group begins behind record ${String(number)}`;
    if (!equalBytes(record.previous, hash))
      return `record ${String(record.number)} names another hash of the one before`;
    // Those before it are older.
    if (record.time > before)
      return `record ${String(record.number)} is younger than audit_archive_after (${String(this.options.days())} days)`;
    return undefined;
  }

  /** What is no cut of ours is none. */
  async #inForce(): Promise<readonly ChainEnd[]> {
    const signed = await this.stored();
    return (signed && this.#read(signed)?.ends) ?? [];
  }

  #read(signed: Signed): AuditCut | undefined {
    const read = readAuditCut(signed, this.options.cluster, this.options.aclKeys());
    return read.ok ? read.value : undefined;
  }

  async #revision(): Promise<number | undefined> {
    try {
      return (await this.store.get(KEY))?.revision;
    } catch (error) {
      if (error instanceof StoredCorrupt) return error.revision;
      throw error;
    }
  }
}

function firstIn({ value }: Entry) {
  const [first] = recordsIn(value);
  const read = first === undefined ? undefined : readAudit(first);
  return read?.ok === true ? read.value : undefined;
}

const KEPT =
  'the audit is kept for ever here: nothing may be archived until the master’s configuration says audit_archive_after, in days';
const OVERTAKEN = refuse('bad_request', 'another archive was made meanwhile, which took more: archive again');
