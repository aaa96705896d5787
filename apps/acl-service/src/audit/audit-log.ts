/**
 * The audit: one hash chain for this instance. A record gets its place at once and is on its way to the stream before the
 * grant leaves; records are committed in groups and not awaited. What the store did not take is kept and tried again, in its
 * place before what came later.
 *
 * Spec: spec/envelope.md#audit.
 */
import { GroupCommit, type Store } from '@natrium/bus';
import {
  AuditChain,
  type AuditEntry as AuditFields,
  type ChainEnd,
  encode,
  fromHex,
  MAX_HEADS,
} from '@natrium/envelope';
import type { AuditEntry } from '@natrium/flow';
import type { Principal, RefusalCode } from '@natrium/model';
import { withinBounds } from './audit-bounds.js';
import { StrangersBudget } from './strangers-budget.js';

/** How long records are gathered before they are written together. */
const WINDOW_MS = 200;

/**
 * So long a group is written anew under its key with what has come since: the broker holds each key in memory for as long as the audit is
 * kept, which is for ever.
 */
const GROWS_MS = 1000;

const MAX_GROUP = 100;
/** A group, or a longer record alone, fits into one message of any broker, also of one with its default of 1 MiB: else nobody's would be written. */
const GROUP_BYTES = 512 << 10;

/** What waits for a store that takes nothing; beyond it the newest are lost, and their gap shows. */
const MAX_WAITING = 10_000;
const AGAIN_MS = 5000;

interface Written {
  readonly number: number;
  readonly bytes: Uint8Array;
  /** As `performance.now()` has it. */
  readonly at: number;
}

interface Growing {
  readonly group: readonly Written[];
  /** As `performance.now()` has it. */
  readonly until: number;
}

/** One write: the first `count` that wait, behind what its group has already. */
interface Write {
  readonly key: string;
  readonly grown: Growing;
  readonly count: number;
}

interface Place {
  readonly chain: string;
  readonly number: number;
}

/** What is recorded without a request: a policy, a newcomer. */
export type AuditNote = Pick<AuditFields, 'what' | 'verdict' | 'rule' | 'detail'>;

/** A refusal before there was anything to decide, or of what asks for no grant. */
export interface EarlyRefusal {
  readonly caller: Principal | null;
  /** Of the request, hexadecimal. */
  readonly digest: string | null;
  readonly code: RefusalCode;
  readonly detail?: AuditFields['detail'];
}

export interface AuditOptions {
  readonly instance: string;
  /** Where the other chains end. */
  readonly heads: readonly ChainEnd[];
  now(): number;
  /** Milliseconds in which a group is gathered, and in which it still grows when it is written. */
  readonly windowMs?: number;
  readonly growsMs?: number;
  /** Told once when records begin to wait for the store. */
  onFailure(cause: unknown): void;
  /** Told once when they are stored after all, with how many were lost meanwhile. */
  onRecovered(lost: number): void;
}

export class AuditLog {
  readonly #commit: GroupCommit<undefined>;
  /** What is not stored, in the order of their numbers. */
  readonly #waiting: Written[] = [];
  #isFailing = false;
  #again: NodeJS.Timeout | undefined;
  #lost = 0;
  /** The last group as it is written, and until when it grows. */
  #open: Growing = { group: [], until: 0 };
  /** The store may have taken it without a word: it is written once more as it was, or its records would stand under two keys. */
  #unsure: Write | undefined;
  readonly #growsMs: number;
  /** Since the start: decisions about grants, `allow` or the code of the refusal; what else was refused, by code; logins by verdict. */
  readonly counts = {
    decisions: new Map<string, number>(),
    refusals: new Map<string, number>(),
    logins: new Map<string, number>(),
  };
  readonly #strangers = new StrangersBudget();
  readonly #chain: AuditChain;
  #written: Promise<void> = Promise.resolve();

  /** Begins this instance's chain; its first record names where the others end. */
  constructor(
    private readonly store: Store,
    private readonly options: AuditOptions,
  ) {
    this.#chain = new AuditChain(options.instance, options.heads.slice(-MAX_HEADS));
    this.#growsMs = options.growsMs ?? GROWS_MS;
    this.#commit = new GroupCommit(() => this.#store(), {
      windowMs: options.windowMs ?? WINDOW_MS,
      limit: MAX_WAITING,
    });
  }

  /** The last record; number -1 while there is none. */
  get end(): ChainEnd {
    return this.#chain.end;
  }

  /** Records that are not stored yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** How long the oldest of them has waited, in ms; 0 where there is none. */
  get oldestMs(): number {
    const [first] = this.#waiting;
    return first === undefined ? 0 : performance.now() - first.at;
  }

  /** A decision about a grant. @param policy The revision that decided, hexadecimal. @param about The HTTP request that it came with, or the event that caused it. */
  append(entry: AuditEntry, policy: string, about: Readonly<Record<string, string>> = {}): Place {
    countOne(this.counts.decisions, entry.what === 'grant' ? 'allow' : entry.reason);
    return this.write({
      time: this.options.now(),
      what: entry.what,
      caller: entry.caller,
      digest: fromHex(entry.digest),
      jid: entry.jid === '' ? null : entry.jid,
      verdict: entry.what === 'grant' ? 'allow' : 'refuse',
      rule: entry.reason,
      detail: {
        form: entry.form,
        funs: [...entry.funs],
        target: entry.target,
        tgt_type: entry.tgtType,
        minions: entry.minions,
        policy,
        ...about,
      },
    });
  }

  note(fields: AuditNote): Place {
    return this.write({ time: this.options.now(), caller: null, digest: null, jid: null, ...fields });
  }

  refuse({ caller, digest, code, detail = {} }: EarlyRefusal): Place {
    countOne(this.counts.refusals, code);
    return this.write({
      time: this.options.now(),
      what: 'refusal',
      caller,
      digest: digest === null ? null : fromHex(digest),
      jid: null,
      verdict: 'refuse',
      rule: code,
      detail,
    });
  }

  /** A login that was not looked at, since there were too many: a record of each would be what it was refused for. */
  countLogin(verdict: RefusalCode): void {
    countOne(this.counts.logins, verdict);
  }

  /** Says how many records about strangers were left out since this was called last. */
  tellLeftOut(): void {
    const leftOut = this.#strangers.takeLeftOut();
    if (leftOut.size === 0) return;
    const rule = Array.from(leftOut, ([what, count]) => `${String(count)} ${what}`).join(', ');
    this.note({ what: 'left_out', verdict: 'refuse', rule, detail: Object.fromEntries(leftOut) });
  }

  /** @returns The place of the record before for what is only counted. */
  write(fields: AuditFields): Place {
    if (fields.what === 'login') countOne(this.counts.logins, fields.verdict);
    if (isTooFast(fields) || !this.#strangers.take(fields, this.options.now())) return this.end;
    const { bytes, number } = this.#chain.append({ ...fields, detail: withinBounds(fields.detail) });
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push({ number, bytes, at: performance.now() });
    else this.#lost += 1;
    this.#written = this.#commit.add(undefined);
    return { chain: this.options.instance, number };
  }

  /** Resolves when all that has been recorded so far is durable, or was tried. */
  async settled(): Promise<void> {
    await this.#written;
  }

  async #store(): Promise<void> {
    try {
      await this.#storeWaiting();
    } catch (cause) {
      if (!this.#isFailing) this.options.onFailure(cause);
      this.#isFailing = true;
      this.#again ??= setTimeout(() => {
        this.#again = undefined;
        void this.#commit.add(undefined);
      }, AGAIN_MS).unref();
    }
  }

  async #storeWaiting(): Promise<void> {
    // What comes meanwhile is the next group's: whoever waits for this one waits for no more.
    const last = this.#waiting.at(-1)?.number ?? -1;
    for (let first = this.#waiting[0]; first !== undefined && first.number <= last; first = this.#waiting[0]) {
      this.#unsure ??= this.#nextWrite();
      const { key, grown, count } = this.#unsure;
      await this.store.put(key, encode(grown.group.map(({ bytes }) => bytes)));
      this.#unsure = undefined;
      this.#waiting.splice(0, count);
      this.#open = grown;
      this.#recovered();
    }
  }

  #nextWrite(): Write {
    const next = this.#waiting.slice(0, countThatFits(this.#waiting));
    const grown = this.#grownBy(next);
    const key = `a.${this.options.instance}.${String(grown.group[0]?.number ?? 0)}`;
    return { key, grown, count: next.length };
  }

  /** The open group with these, or a new one of them. */
  #grownBy(next: readonly Written[]): Growing {
    const { group, until } = this.#open;
    const now = performance.now();
    const both = [...group, ...next];
    const mayGrow = now < until && countThatFits(both) === both.length;
    return mayGrow ? { group: both, until } : { group: next, until: now + this.#growsMs };
  }

  #recovered(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.options.onRecovered(this.#lost);
    this.#lost = 0;
  }
}

/** How many of the first are one group. */
function countThatFits(records: readonly Written[]): number {
  const most = Math.min(records.length, MAX_GROUP);
  let left = GROUP_BYTES;
  for (let count = 0; count < most; count += 1) {
    left -= records[count]?.bytes.length ?? 0;
    if (left < 0) return Math.max(count, 1);
  }
  return most;
}

function isTooFast({ what, rule }: AuditFields): boolean {
  return what === 'refusal' && rule === 'slow_down';
}

function countOne(counts: Map<string, number>, of: string): void {
  counts.set(of, (counts.get(of) ?? 0) + 1);
}
