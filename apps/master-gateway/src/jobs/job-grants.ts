/**
 * What was granted of each job: written in groups that nobody waits for, or at once by itself. A job is found by its jid through it.
 *
 * Spec: spec/envelope.md#durability.
 */
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import type { Store } from '@natrium/bus';
import { encode, type Wire } from '@natrium/envelope';
import { endedAlsoBy, InFlight, jidOf } from '@natrium/model';
import { within } from '@natrium/process';
import { readAs, records, writeAs } from '@natrium/wire';
import { BySecond, MANY_SECONDS, secondsOf } from './by-second.js';

const AGAIN_MS = 1000;
/** Without a broker nothing can be written any more. */
const CLOSE_MS = 1000;
/** While a job is so young, another gateway may still be writing its grant. */
const YOUNG_MS = 1000;
/** That gateway's clock may be ahead by so much. */
const AHEAD_MS = 30_000;
/** For so long the grant of a young job is waited for. */
const WRITTEN_MS = 200;
/** Where every so manieth of all jobs is wanted, all grants are read: that costs less than to look for these. */
const SHARE = 3;
/** More seconds than these are not looked through to learn of which jobs they are. */
const MOST_SECONDS = 512;
const LETTER = 'g';

export interface GrantOptions {
  readonly instance: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Told of each job, grant or return that is passed over, since another version has stored it in another form. */
  readonly onUnreadable?: (kind: 'job' | 'grant' | 'return') => void;
}

type Take = (granted: records.JobGrant) => void;

interface Writing {
  readonly granted: records.JobGrant;
  readonly written: Promise<void>;
  /** It is tried until it is durable. Where it may fail instead, nobody goes on with the job for it: nothing was sent yet. */
  readonly isSure: boolean;
}

export class JobGrants {
  readonly #kept: BySecond<records.JobGrant>;
  /** Being written, by jid. */
  readonly #writing = new InFlight<string, Writing>();
  #isClosed = false;

  constructor(
    store: Store,
    private readonly options: GrantOptions,
  ) {
    const onUnreadable = () => options.onUnreadable?.('grant');
    this.#kept = new BySecond(store, { letter: LETTER, instance: options.instance, read: readGroup, onUnreadable });
  }

  /**
   * Resolves when it is durable, or this process ends; it is tried until then.
   *
   * @throws {Error} With `now`, when the broker does not take it.
   */
  keep(granted: records.JobGrant, when: 'soon' | 'now' = 'soon'): Promise<void> {
    const { jid } = granted;
    const known = this.#writing.get(jid);
    if (known !== undefined) return known.written;
    const writing = when === 'now' ? this.#kept.addNow(jid, encoded(granted)) : this.#keep(granted);
    const written = writing.finally(() => this.#writing.delete(jid));
    this.#writing.set(jid, { granted, written, isSure: when === 'soon' });
    return written;
  }

  async #keep(granted: records.JobGrant): Promise<void> {
    // The job itself leaves for its minions first.
    await setImmediate();
    const bytes = encoded(granted);
    do {
      try {
        await this.#kept.add(granted.jid, bytes);
        return;
      } catch {
        // The broker takes no writes now; the store has told that in an alert.
        await pause(AGAIN_MS, undefined, { ref: false });
      }
    } while (!this.#isClosed);
  }

  isWriting(jid: string): boolean {
    return this.#writing.has(jid);
  }

  /** @returns undefined also while its gateway still waits for the decision. */
  async find(jid: string): Promise<records.JobGrant | undefined> {
    return (await this.findAll([jid])).get(jid);
  }

  /** Of these jobs, by jid; not there while their gateways still wait for the decision. */
  findAll(jids: readonly string[]): Promise<ReadonlyMap<string, records.JobGrant>> {
    const readAll = async (take: Take) => {
      (await this.#kept.aroundAll(jids)).forEach(take);
    };
    return this.#look(jids, (granted) => granted, readAll);
  }

  /**
   * Who asked for these jobs, by jid: without their minions, so that very many jobs take little memory.
   *
   * @param of Of how many jobs that are kept these are some.
   */
  callersOf(jids: readonly string[], of = Infinity): Promise<ReadonlyMap<string, records.JobGrant['caller']>> {
    const seconds = secondsOf(jids);
    const isMost = jids.length * SHARE >= of || seconds.length > MANY_SECONDS;
    const readAll = (take: Take) => (isMost ? this.#kept.showAll(take) : this.#kept.show(seconds, take));
    return this.#look(jids, ({ caller }) => caller, readAll);
  }

  /** The jids of what is granted from this one on; undefined where that is too much to look at. */
  async jidsFrom(jid: string): Promise<readonly string[] | undefined> {
    const seconds = await this.#kept.secondsFrom(jid, this.options.now() + AHEAD_MS);
    if (seconds.length > MOST_SECONDS) return undefined;
    const jids = [...this.#writing.values()].map(({ granted }) => granted.jid);
    await this.#kept.show(seconds, (granted) => jids.push(granted.jid));
    return jids.filter((one) => one >= jid);
  }

  /**
   * @param of What is wanted of each.
   * @param readAll Reads what may have all of them; what is young is then waited for.
   */
  async #look<T>(
    jids: readonly string[],
    of: (granted: records.JobGrant) => T,
    readAll: (take: Take) => Promise<void>,
  ): Promise<ReadonlyMap<string, T>> {
    const found = new Map<string, T>();
    const wanted = new Set(jids);
    const take = (granted: records.JobGrant) => {
      if (wanted.delete(granted.jid)) found.set(granted.jid, of(granted));
    };
    this.#takeSure(take);
    if (wanted.size > 0) await readAll(take);
    const young = [...wanted].filter((jid) => this.#isYoung(jid));
    if (young.length > 0) await this.#hearYoung(young, take, () => !young.some((jid) => wanted.has(jid)));
    return found;
  }

  #takeSure(take: Take): void {
    for (const { granted, isSure } of this.#writing.values()) if (isSure) take(granted);
  }

  /** What is not heard in time is read at last: a broker that has lost a node tells late. */
  async #hearYoung(young: readonly string[], take: Take, isAll: () => boolean): Promise<void> {
    const end = endedAlsoBy(AbortSignal.timeout(WRITTEN_MS));
    const hear: Take = (granted) => {
      take(granted);
      if (isAll()) end.abort();
    };
    await this.#kept.hear(young, hear, end.signal);
    this.#takeSure(take);
    if (!isAll()) (await this.#kept.aroundAll(young)).forEach(take);
  }

  /** Tells when the job's grant is there, until the signal ends it. */
  whenWritten(jid: string, tell: () => void, signal: AbortSignal): Promise<void> {
    const hear: Take = (granted) => {
      if (granted.jid === jid) tell();
    };
    return this.#kept.hear([jid], hear, signal);
  }

  /** By its jid, which need not be one that any gateway has minted. */
  #isYoung(jid: string): boolean {
    const now = this.options.now();
    const at = (ms: number) => jidOf(Math.floor(ms * 1000));
    return jid > at(now - YOUNG_MS) && jid < at(now + AHEAD_MS);
  }

  /** What is being written is durable before the connection closes. */
  async close(): Promise<void> {
    const all = [...this.#writing.values()].map(({ written }) => written);
    await within(CLOSE_MS, Promise.allSettled(all));
    this.#isClosed = true;
  }
}

function readGroup(group: Wire): readonly records.JobGrant[] {
  return readAs(records.JobGrantGroup, group);
}

function encoded(granted: records.JobGrant): Uint8Array {
  return encode(writeAs(records.JobGrantGroup, [granted]) as Wire);
}
