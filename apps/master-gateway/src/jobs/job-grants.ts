/**
 * What was granted of each job: written in groups that nobody waits for, or at once by itself. A job is found by its jid through it.
 *
 * Spec: spec/envelope.md#durability.
 */
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { inSlices, type Store } from '@natrium/bus';
import { decode, encode, type Wire } from '@natrium/envelope';
import { InFlight, jidOf } from '@natrium/model';
import { within } from '@natrium/process';
import { readAs, records, writeAs } from '@natrium/wire';
import { BySecond, MANY_SECONDS, secondOf } from './by-second.js';

const AGAIN_MS = 1000;
/** Without a broker nothing can be written any more. */
const CLOSE_MS = 1000;
/** While a job is so young, another gateway may still be writing its grant. */
const YOUNG_MS = 1000;
/** That gateway's clock may be ahead by so much. */
const AHEAD_MS = 30_000;
/** The grant of a young job that is not there is looked for again after this pause; so many looks in all. */
const WRITTEN_MS = 100;
const LOOKS = 3;
/** Of how many jobs the seconds are read at once, where all of them together would be too much for the memory. */
const PART = 256;
const LETTER = 'g';

export interface GrantOptions {
  readonly instance: string;
  /** Milliseconds since 1970. */
  now(): number;
}

export class JobGrants {
  readonly #kept: BySecond<records.JobGrant>;
  /** Being written, by jid. */
  readonly #writing = new InFlight<string, { readonly granted: records.JobGrant; readonly written: Promise<void> }>();
  #isClosed = false;

  constructor(
    private readonly store: Store,
    private readonly options: GrantOptions,
  ) {
    this.#kept = new BySecond(store, { letter: LETTER, instance: options.instance, read: readGroup });
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
    this.#writing.set(jid, { granted, written });
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
    return this.#look(
      jids,
      (granted) => granted,
      () => this.#together(jids),
    );
  }

  async *#together(jids: readonly string[]): AsyncGenerator<readonly records.JobGrant[]> {
    yield await this.#kept.aroundAll(jids);
  }

  /** Who asked for these jobs, by jid: without their minions, so that very many jobs take little memory. */
  callersOf(jids: readonly string[]): Promise<ReadonlyMap<string, records.JobGrant['caller']>> {
    return this.#look(
      jids,
      ({ caller }) => caller,
      () => this.#inParts(jids),
    );
  }

  /** What may have all of these, and is not kept in memory together. */
  async *#inParts(jids: readonly string[]): AsyncGenerator<readonly records.JobGrant[]> {
    if (new Set(jids.map(secondOf)).size > MANY_SECONDS) {
      const groups = await this.store.list(`${LETTER}.*.*`);
      for await (const { value } of inSlices(groups, (group) => group.value.length)) yield readGroup(decode(value));
      return;
    }
    for (let at = 0; at < jids.length; at += PART) yield await this.#kept.shownAround(jids.slice(at, at + PART));
  }

  /**
   * @param of What is wanted of each.
   * @param readAll Reads what may have all of them; what is young is then looked for by itself.
   */
  async #look<T>(
    jids: readonly string[],
    of: (granted: records.JobGrant) => T,
    readAll: () => AsyncIterable<readonly records.JobGrant[]>,
  ): Promise<ReadonlyMap<string, T>> {
    const found = new Map<string, T>();
    const wanted = new Set(jids);
    const take = (granted: records.JobGrant) => {
      if (wanted.delete(granted.jid)) found.set(granted.jid, of(granted));
    };
    for (const { granted } of this.#writing.values()) take(granted);
    if (wanted.size > 0) for await (const some of readAll()) some.forEach(take);
    for (let look = 2; look <= LOOKS; look += 1) {
      const young = [...wanted].filter((jid) => this.#isYoung(jid));
      if (young.length === 0) break;
      await pause(WRITTEN_MS, undefined, { ref: false });
      for (const jid of young) for (const granted of await this.#kept.around(jid)) take(granted);
      for (const { granted } of this.#writing.values()) take(granted);
    }
    return found;
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
