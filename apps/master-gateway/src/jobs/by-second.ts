/**
 * Small values of jobs in groups by the second of their jid (`<letter>.<second>.<instance>-<n>`): many cost one write, and those of one
 * jid are found without reading all.
 *
 * Spec: spec/wire.md#records.
 */
import { type Entry, GATHERED, GroupCommit, inSlices, SharedFollowing, type Store } from '@natrium/bus';
import { decode, joinLists, type Wire } from '@natrium/envelope';
import { jidOf, SharedReadings } from '@natrium/model';
import { AtOnce } from '../at-once.js';

const SECOND_DIGITS = 14;
/** Well below the broker's largest message, so that a full group and one large value still fit. */
const GROUP_BYTES = 1 << 20;
/** Of an hour's seconds only those are read; everything that is kept may be a day's. */
export const MANY_SECONDS = 3600;
/** So many seconds are read one by one at the same time. */
const READ_AT_ONCE = 8;
/** More than so many are read together for a list, so many with one consumer, and while one part is read the next is on its way. */
const FEW_SECONDS = 4;
const SECONDS_AT_ONCE = 64;
const PARTS_AT_ONCE = 2;

export interface BySecondOptions<T> {
  readonly letter: string;
  /** Distinguishes the groups of the gateways. */
  readonly instance: string;
  /** For how many windows a flood is waited for to ease, before the first of it is written; one when it is left out. */
  readonly maxWindows?: number;
  /** @throws {Error} When it is not such a list. */
  read(group: Wire): readonly T[];
  /** Told of each that is not. */
  readonly onUnreadable?: () => void;
}

/** A list of one value, encoded when it is added: a value that cannot be encoded fails alone, not its whole group. */
interface Encoded {
  readonly second: string;
  readonly bytes: Uint8Array;
}

/** What stands under one key. */
interface KeptGroup<T> {
  /** `<instance>-<n>`, or the name of what was written by itself. */
  readonly name: string;
  readonly values: readonly T[];
}

/** Readings of one second: the one under way, and the one after it, which all who ask meanwhile share. */
export class BySecond<T> {
  readonly #commit: GroupCommit<Encoded>;
  readonly #readings = new SharedReadings<string, readonly T[]>();
  readonly #following: SharedFollowing<readonly T[]>;
  #groups = 0;

  constructor(
    private readonly store: Store,
    private readonly options: BySecondOptions<T>,
  ) {
    const { maxWindows = 1 } = options;
    this.#following = new SharedFollowing(store, ({ value }) => (value === undefined ? [] : this.#valuesOf(value)));
    this.#commit = new GroupCommit((group) => this.#write(group), { windowMs: GATHERED.windowMs, maxWindows });
  }

  /** Where a value that is written by itself stands beside the groups. */
  placeOf(jid: string, name: string): string {
    return `${this.options.letter}.${secondOf(jid)}.${name}`;
  }

  /** Values that are not durable yet. */
  get waiting(): number {
    return this.#commit.waiting;
  }

  /** How long the oldest of them has waited, in ms; 0 where there is none. */
  get oldestMs(): number {
    return this.#commit.oldestMs;
  }

  /** Resolves when it is durable. @param bytes An encoded list of one value. */
  add(jid: string, bytes: Uint8Array): Promise<void> {
    return this.#commit.add({ second: secondOf(jid), bytes });
  }

  /** As a group of its own, without waiting for others. */
  addNow(jid: string, bytes: Uint8Array): Promise<void> {
    return this.#writeSecond(secondOf(jid), [bytes]);
  }

  /**
   * All of the jid's second, oldest first. Reading is dear (the broker makes a consumer of it), and after a fail-over many ask for the same
   * second.
   */
  around(jid: string): Promise<readonly T[]> {
    const second = secondOf(jid);
    return this.#readings.of(second, () => this.#read(second));
  }

  /** All of these jids' seconds, and where those are very many everything. */
  async aroundAll(jids: readonly string[]): Promise<readonly T[]> {
    const seconds = secondsOf(jids);
    if (seconds.length > MANY_SECONDS) return this.#read('*');
    const reading = new AtOnce(READ_AT_ONCE);
    return (await Promise.all(seconds.map((second) => reading.run(() => this.around(second))))).flat();
  }

  /** Hands on what is there of these jids' seconds, and what is written of them, until the signal ends it. */
  async hear(jids: readonly string[], take: (value: T) => void, signal: AbortSignal): Promise<void> {
    const takeAll = (values: readonly T[]) => {
      values.forEach(take);
    };
    const patterns = secondsOf(jids).map((second) => this.#patternOf(second));
    await Promise.all(patterns.map((pattern) => this.#following.hear(pattern, takeAll, signal)));
  }

  /**
   * Hands on what is there of these seconds, for a list that somebody looks at, without holding it: many seconds have one consumer of the
   * broker, since one for each took five seconds for two hundred. It is at any node that has the bucket, and shows what that one has: who
   * acts on what is not there asks `aroundAll`.
   */
  async show(seconds: readonly string[], take: (value: T) => void): Promise<void> {
    if (seconds.length <= FEW_SECONDS) {
      for (const values of await Promise.all(seconds.map((second) => this.around(second)))) values.forEach(take);
      return;
    }
    const parts: Promise<void>[] = [];
    const reading = new AtOnce(PARTS_AT_ONCE);
    for (let from = 0; from < seconds.length; from += SECONDS_AT_ONCE) {
      const patterns = seconds.slice(from, from + SECONDS_AT_ONCE).map((second) => this.#patternOf(second));
      parts.push(reading.run(() => this.#take(this.store.eachAny(patterns), take)));
    }
    await Promise.all(parts);
  }

  /** The same of all seconds. */
  showAll(take: (value: T) => void): Promise<void> {
    return this.#take(this.store.each(this.#patternOf('*')), take);
  }

  async #take(entries: AsyncIterable<Entry>, take: (value: T) => void): Promise<void> {
    for await (const { value } of inSlices(entries, (group) => group.value.length)) this.#valuesOf(value).forEach(take);
  }

  /**
   * The seconds from a jid's to a later one's that may have anything, the latest first. Where those are many the broker names the groups
   * that it has, which it knows without reading them.
   *
   * @param until Milliseconds since 1970.
   */
  async secondsFrom(jid: string, until: number): Promise<readonly string[]> {
    const from = secondOf(jid);
    const seconds: string[] = [];
    for (let at = until; seconds.length < SECONDS_AT_ONCE; at -= 1000) {
      const second = secondOf(jidOf(Math.floor(at) * 1000));
      if (second < from) return seconds;
      seconds.push(second);
    }
    const named = (await this.store.keyNames(this.#patternOf('*'))).map((key) => key.split('.')[1] ?? '');
    return [...new Set(named)].filter((second) => second >= from).sort((a, b) => (a < b ? 1 : -1));
  }

  /** The same as it was written, read anew. */
  groupsAround(jid: string): Promise<readonly KeptGroup<T>[]> {
    return this.#groupsIn(secondOf(jid));
  }

  /** @param second Or the pattern for all of them. */
  async #read(second: string): Promise<readonly T[]> {
    return (await this.#groupsIn(second)).flatMap(({ values }) => values);
  }

  async #groupsIn(second: string): Promise<readonly KeptGroup<T>[]> {
    return this.#groupsOf(await this.store.list(this.#patternOf(second)));
  }

  #patternOf(second: string): string {
    return `${this.options.letter}.${second}.*`;
  }

  #groupsOf(entries: readonly Entry[]): readonly KeptGroup<T>[] {
    return entries.map(({ key, value }) => ({
      name: key.split('.')[2] ?? '',
      values: this.#valuesOf(value),
    }));
  }

  /** None of a group that another version has stored in another form: it must not hide the others. */
  #valuesOf(value: Uint8Array): readonly T[] {
    try {
      return this.options.read(decode(value));
    } catch {
      this.options.onUnreadable?.();
      return [];
    }
  }

  async #write(group: readonly Encoded[]): Promise<void> {
    const bySecond = new Map<string, Uint8Array[]>(group.map(({ second }) => [second, []]));
    for (const { second, bytes } of group) bySecond.get(second)?.push(bytes);
    await Promise.all([...bySecond].map(([second, list]) => this.#writeSecond(second, list)));
  }

  async #writeSecond(second: string, list: readonly Uint8Array[]): Promise<void> {
    const { letter, instance } = this.options;
    await Promise.all(
      inMessages(list).map((part) => {
        this.#groups += 1;
        return this.store.put(`${letter}.${second}.${instance}-${String(this.#groups)}`, joinLists(part));
      }),
    );
  }
}

export function secondsOf(jids: readonly string[]): readonly string[] {
  return [...new Set(jids.map(secondOf))];
}

export function secondOf(jid: string): string {
  return jid.slice(0, SECOND_DIGITS);
}

/** Groups that fit into one message each; a single value always does: a return was cut by its minion. */
function inMessages(list: readonly Uint8Array[]): readonly Uint8Array[][] {
  const groups: Uint8Array[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const one of list) {
    if (bytes + one.length > GROUP_BYTES) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(one);
    bytes += one.length;
  }
  return groups;
}
