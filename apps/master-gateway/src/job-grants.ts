/**
 * What was granted of each job, in groups that nobody waits for, or at once. By it a job is found by its jid.
 *
 * Spec: spec/envelope.md#durability.
 */
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { inSlices, type Store } from '@natrium/bus';
import { decode, encode, type Wire } from '@natrium/envelope';
import { InFlight, jidOf } from '@natrium/model';
import { readAs, records, writeAs } from '@natrium/wire';
import { BySecond, MANY_SECONDS, secondOf } from './by-second.js';

const AGAIN_MS = 1000;
/** Without a broker nothing can be written any more. */
const CLOSE_MS = 1000;
/** Another gateway may still be writing what it was granted of a job so young. */
const YOUNG_MS = 1000;
/** Its clock may be ahead. */
const AHEAD_MS = 30_000;
const WRITTEN_MS = 100;
const LOOKS = 3;
/** Jobs whose seconds are read in one part. */
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
   * @throws {Error} When it is wanted now and the broker does not take it.
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
    // The job itself leaves first.
    await setImmediate();
    const bytes = encoded(granted);
    do {
      try {
        await this.#kept.add(granted.jid, bytes);
        return;
      } catch {
        // The broker takes no writes now, which its store's alert has told.
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
    for (let at = 0; at < jids.length; at += PART) yield await this.#kept.aroundAll(jids.slice(at, at + PART));
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
    await Promise.race([Promise.allSettled(all), pause(CLOSE_MS, undefined, { ref: false })]);
    this.#isClosed = true;
  }
}

function readGroup(group: Wire): readonly records.JobGrant[] {
  return readAs(records.JobGrantGroup, group);
}

function encoded(granted: records.JobGrant): Uint8Array {
  return encode(writeAs(records.JobGrantGroup, [granted]) as Wire);
}
