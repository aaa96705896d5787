/** Rules of the mine: who may read and keep what, and that no single question makes work beyond what its answer carries. */
import { MemoryStore, type Opened, StoredCorrupt } from '@natrium/bus';
import { encode, fp, identityFrom, newIdentitySecret, sodiumReady, type Wire } from '@natrium/envelope';
import { Budget } from '@natrium/flow';
import type { Room } from '@natrium/matchers';
import { ok, type Target, type Value } from '@natrium/model';
import { type Body, type contracts, records, writeAs } from '@natrium/wire';
import type { AuditLog } from './audit/audit-log.js';
import { MineDoor } from './mine-door.js';
import { type MineItem, Mines } from './data/mines.js';
import type { Policies } from './policy/policies.js';
import type { Roster } from './roster/roster.js';

const READER = 'reader';
/** Of the one that asks. */
const KEY = new Uint8Array(32);
const MAX_NAMES = 64;
const LONG = 4096;
/** Levels of something in a mine: what is around it in an answer takes the others of 32. */
const MAX_DEPTH = 22;
const MAX_RULES = 32_768;

let keys: Map<string, Uint8Array>;
let mines: Mines;
let decided: Target[];
/** What the patterns of a rule take. */
let sizeOfRules: number;
/** What looking at the reader's data takes for one. */
let workOfRules: number;

beforeAll(sodiumReady);
beforeEach(async () => {
  keys = new Map();
  mines = await Mines.open(new MemoryStore('mine'));
  decided = [];
  sizeOfRules = 0;
  workOfRules = 0;
});

const item = (name: string, value: Value, allowTgt = '', allowTgtType = 'glob'): MineItem => ({
  name,
  value,
  allowTgt,
  allowTgtType,
});

async function aMinion(id: string, ...items: readonly MineItem[]): Promise<void> {
  const key = identityFrom(newIdentitySecret()).publicKey;
  keys.set(id, key);
  if (items.length > 0) await mines.change(key, () => items);
}

/** @param kept What the reader is answered from. */
function get(names: readonly string[], kept: Pick<Mines, 'kept'> = mines): Promise<unknown> {
  return ask({ what: 'get', names: [...names] }, { kept });
}

type Ask = Body<typeof contracts.mine>;

interface World {
  readonly kept: Pick<Mines, 'kept'>;
  readonly kind: string;
  readonly budget: Budget;
  /** What finding out whom a target means takes. */
  readonly tests: number;
}

const NO_LIMIT = new Budget({ rate: 0, burst: 0 });

/** What a caller is told, with another mine than the one of all rules, or of another kind than a minion. */
async function ask(
  asked: Partial<Ask>,
  { kept = mines, kind = 'minion', budget = NO_LIMIT, tests = 0 }: Partial<World> = {},
) {
  const roster = {
    callerOf: () => ({ kind, name: READER }),
    keyOfMinion: (id: string) => keys.get(id),
  } as unknown as Roster;
  const current = {
    idsExactly: (_: Target, onTests: (tests: number) => void) => {
      onTests(tests);
      return ok([...keys.keys()]);
    },
    certainlyIn: (target: Target, id: string, mayMake: (size: number) => boolean, room: Room) => {
      decided.push(target);
      room.take(workOfRules);
      return mayMake(sizeOfRules) && typeof target.tgt === 'string' && target.tgt.startsWith(id);
    },
  };
  const door = new MineDoor({
    roster,
    policies: { current } as unknown as Policies,
    mines: kept as Mines,
    audit: {} as AuditLog,
    budget,
    now: () => 0,
  });
  const body: Ask = { what: 'get', items: [], names: [], tgt: '*', tgtType: 'glob', ...asked };
  const party = { owner: { type: 'identity', key: KEY } };
  const answer = await door.handle({ body, party } as unknown as Opened<typeof contracts.mine>);
  return answer?.refusal ?? answer?.result;
}

const refused = (sentence: RegExp): unknown =>
  expect.objectContaining({ code: 'bad_request', sentence: expect.stringMatching(sentence) as unknown });
const namesTo = (count: number, of = 'f') => Array.from({ length: count }, (_, n) => `${of}${String(n)}`);

it('what no answer could name is neither kept nor read; it can still be taken away', async () => {
  const asked = { names: ['__proto__'], items: [item('__proto__', 1)] };
  const noName = refused(/^nothing is kept in a mine under the name __proto__$/);
  for (const what of ['put', 'replace', 'get'] as const) expect(await ask({ ...asked, what })).toEqual(noName);
  expect(await ask({ what: 'get', names: ['a', '__proto__'] })).toEqual(noName);
  expect(mines.keys).toEqual([]);
  expect(await ask({ what: 'delete', names: ['__proto__'] })).toBe(true);
  expect(await ask({ what: 'get', names: ['__proto'] })).toEqual({ __proto: {} });
});

it('a reader hears what each minion keeps under a name and lets it read, and of nothing else', async () => {
  await aMinion('web1', item('a', 1), item('b', 2, READER), item('c', 3, 'another'));
  await aMinion('web2', item('a', 4, 'another'));
  await aMinion('web3');
  expect(await get(['a', 'b', 'c', 'd'])).toEqual({ a: { web1: 1 }, b: { web1: 2 }, c: {}, d: {} });
});

it('what a minion no longer keeps, or keeps anew, is so for its readers', async () => {
  await aMinion('web1', item('a', 1), item('b', 2));
  await mines.change(keys.get('web1')!, () => [item('b', 3)]);
  expect(await get(['a', 'b'])).toEqual({ a: {}, b: { web1: 3 } });
  await mines.forget(keys.get('web1')!);
  expect(await get(['a', 'b'])).toEqual({ a: {}, b: {} });
});

it('what another replica has stored after it counts, also where that is heard of first', async () => {
  class Overtaken extends MemoryStore {
    next: MineItem[] | undefined;
    override async update(...[key, value, revision]: Parameters<MemoryStore['update']>) {
      const done = await super.update(key, value, revision);
      if (this.next !== undefined)
        await this.put(key, encode(writeAs(records.MineEntry, { identity: KEY, items: this.next }) as Wire));
      return done;
    }
  }
  const store = new Overtaken('mine');
  mines = await Mines.open(store);
  keys.set('web1', KEY);
  await mines.change(KEY, () => [item('a', 1)]);
  store.next = [item('a', 3)];
  await mines.change(KEY, () => [item('a', 2)]);
  expect(await get(['a'])).toEqual({ a: { web1: 3 } });
});

it('a mine that does not open is replaced by a whole new one, and by nothing else: its storage key may still come', async () => {
  class Spoilt extends MemoryStore {
    revision = 0;
    override async get(key: string): ReturnType<MemoryStore['get']> {
      const entry = await super.get(key);
      if (entry?.revision === this.revision) throw new StoredCorrupt(`mine/${key}`, entry.revision);
      return entry;
    }
  }
  const store = new Spoilt('mine');
  const kept = await Mines.open(store);
  keys.set('web1', KEY);
  const [a, b, c] = [item('a', 1), item('b', 2), item('c', 3)];
  const what = async (asked: 'put' | 'replace', ...items: MineItem[]) => ask({ what: asked, items }, { kept });
  expect(await what('put', a)).toBe(true);
  store.revision = (await store.get(fp(KEY)))?.revision ?? 0;
  await expect(what('put', b)).rejects.toThrow('does not open');
  expect(await what('replace', b)).toBe(true);
  expect(await what('put', c)).toBe(true);
  expect(await get(['a', 'b', 'c'], kept)).toEqual({ a: {}, b: { web1: 2 }, c: { web1: 3 } });
});

it('an account hears nothing, and nothing of it is read or kept; a minion is answered', async () => {
  await aMinion('web1', item('a', 1));
  keys.set(READER, KEY);
  const keeps: Partial<Ask> = { what: 'put', items: [item('b', 2)] };
  const reads: Partial<Ask> = { what: 'get', names: ['a'] };
  for (const asked of [keeps, reads]) expect(await ask(asked, { kind: 'account' })).toBeUndefined();
  expect(await get(['a', 'b'])).toEqual({ a: { web1: 1 }, b: {} });
  expect(await ask(keeps)).toBe(true);
  expect(await get(['a', 'b'])).toEqual({ a: { web1: 1 }, b: { [READER]: 2 } });
});

it('what is nested too deeply to be read is refused, and nothing beside it is kept; what is not is kept', async () => {
  keys.set(READER, KEY);
  const nested = (depth: number): Value => (depth === 0 ? 1 : [nested(depth - 1)]);
  const keeps = (depth: number) => ask({ what: 'put', items: [item('b', 2), item('a', nested(depth))] });
  expect(await keeps(MAX_DEPTH + 1)).toEqual(refused(/nested too deeply/));
  expect(await get(['a', 'b'])).toEqual({ a: {}, b: {} });
  expect(await keeps(MAX_DEPTH)).toBe(true);
  expect(await get(['b'])).toEqual({ b: { [READER]: 2 } });
});

it('a mine that would hold more than 100,000 values is refused, and nothing is kept; one of as many is kept', async () => {
  keys.set(READER, KEY);
  const keeps = (count: number) =>
    ask({
      what: 'put',
      items: [
        item(
          'a',
          Array.from({ length: count - 2 }, () => ({})),
        ),
        item('b', 2),
      ],
    });
  expect(await keeps(100_001)).toEqual(refused(/100,000 values/));
  expect(await get(['b'])).toEqual({ b: {} });
  expect(await keeps(100_000)).toBe(true);
  expect(await get(['b'])).toEqual({ b: { [READER]: 2 } });
});

it('a change costs as many requests as there are pages of 4096 bytes in all that its minion keeps and in what comes', async () => {
  const page = 'x'.repeat(4096);
  const [large, small] = [item('a', page.repeat(3)), item('b', 2)];
  /** How many changes are taken of those that come at the same moment. */
  const taken = async (...items: readonly MineItem[]) => {
    mines = await Mines.open(new MemoryStore('mine'));
    const budget = new Budget({ rate: 1, burst: 8 });
    const all = items.map((one) => ask({ what: 'put', items: [one] }, { budget }));
    return (await Promise.all(all)).filter((told) => told === true).length;
  };
  expect(await taken(...Array.from({ length: 9 }, () => small))).toBe(8);
  expect(await taken(large, large, small)).toBe(2);
  expect(await taken(item('a', page), small, small, small)).toBe(4);
});

it('whom it is for counts as well, and what is refused for its depth', async () => {
  let deep: Value = 1;
  for (let level = 0; level < 23; level += 1) deep = [deep];
  for (const one of [{ ...item('a', 1), allowTgt: 'x'.repeat(4096) }, item('a', [deep, 'x'.repeat(4096)])]) {
    const budget = new Budget({ rate: 1, burst: 2 });
    const told = [
      await ask({ what: 'put', items: [one] }, { budget }),
      await ask({ what: 'put', items: [item('b', 2)] }, { budget }),
    ];
    expect(told[1]).toMatchObject({ code: 'slow_down' });
    await mines.forget(KEY);
  }
});

it('a small change of a large mine costs as much as the mine is large', async () => {
  await mines.change(KEY, () => [item('a', 'x'.repeat(5 * 4096))]);
  const budget = new Budget({ rate: 1, burst: 8 });
  const put = () => ask({ what: 'put', items: [item('b', 2)] }, { budget });
  const told = await Promise.all([put(), put(), put()]);
  expect(told).toEqual([true, true, expect.objectContaining({ code: 'slow_down' })]);
});

it('an answer costs its reader a request for each 64 KiB of it', async () => {
  await aMinion('web1', item('a', 'x'.repeat(5 * 65_536)));
  const budget = new Budget({ rate: 1, burst: 8 });
  const asked = [];
  for (let n = 0; n < 3; n += 1) asked.push(Object.keys((await ask({ names: ['a'] }, { budget })) as object));
  expect(asked).toEqual([['a'], ['a'], ['code', 'sentence']]);
});

it('so does what was looked at for an answer that is too large to be told', async () => {
  const part = item('a', 'x'.repeat(1_000_000));
  for (const id of namesTo(7, 'web')) await aMinion(id, part);
  const budget = new Budget({ rate: 1, burst: 8 });
  expect(await ask({ names: ['a'] }, { budget })).toEqual(refused(/too large for one message/));
  expect(await ask({ names: ['b'] }, { budget })).toEqual(expect.objectContaining({ code: 'slow_down' }));
});

describe('the work of one question', () => {
  /** Counts how often it is asked for the key of somebody. */
  class Counting extends Map<string, string> {
    looked = 0;
    override get(key: string) {
      this.looked += 1;
      return super.get(key);
    }
  }

  it('is done once for a name, however often that is repeated', async () => {
    const kept = noting(mines);
    await aMinion('web1', item('a', 1));
    expect(
      await get(
        Array.from({ length: 1000 }, () => 'a'),
        kept,
      ),
    ).toEqual({ a: { web1: 1 } });
    expect(kept.names).toEqual(['a']);
  });

  it('is refused for more than 64 different names before anything is looked up, and done for 64', async () => {
    const kept = noting(mines);
    await aMinion('web1', item('f0', 1));
    expect(await get(namesTo(MAX_NAMES + 1), kept)).toEqual(refused(/at most 64 functions/));
    expect(kept.names).toEqual([]);
    expect(await get(namesTo(MAX_NAMES), kept)).toMatchObject({ f0: { web1: 1 }, f63: {} });
    expect(kept.names).toEqual(namesTo(MAX_NAMES));
  });

  it('walks those that keep a name or those that are asked, whichever are fewer', async () => {
    await aMinion('alone', item('rare', 1), item('common', 1));
    for (const id of namesTo(20, 'web')) await aMinion(id, item('common', 2));
    const hex = (id: string) => Buffer.from(keys.get(id)!).toString('hex');
    const all = new Counting([...keys.keys()].map((id) => [hex(id), id]));
    expect([...mines.kept('rare', all)].map(([id]) => id)).toEqual(['alone']);
    expect([...mines.kept('nothing', all)]).toEqual([]);
    expect(all.looked).toBe(1);
    const one = new Counting([[hex('web7'), 'web7']]);
    expect([...mines.kept('common', one)].map(([id, { value }]) => [id, value])).toEqual([['web7', 2]]);
    expect(one.looked).toBe(1);
  });

  it('ends where one message carries no more', async () => {
    let read = 0;
    const large = item('a', 'x'.repeat(1 << 20));
    const endless = {
      *kept() {
        for (; read < 1000; read += 1) yield [`web${String(read)}`, large] as const;
      },
    };
    expect(await get(['a'], endless)).toEqual(refused(/too large for one message/));
    expect(read).toBe(5);
  });
});

describe('the rules of one answer', () => {
  const long = (n: number) => `${READER} or ${String(n)}`.padEnd(LONG, 'x');
  const of = (type: string, count: number) => namesTo(count).map((name, n) => item(name, n, long(n), type));

  it('are decided once when they are equal, for all whose they are', async () => {
    for (const id of namesTo(10)) await aMinion(id, item('a', 1, READER), item('b', 2, 'another'));
    expect(await get(['a', 'b'])).toEqual({ a: Object.fromEntries(namesTo(10).map((id) => [id, 1])), b: {} });
    expect(decided.map(({ tgt }) => tgt)).toEqual([READER, 'another']);
  });

  it('are compiled up to 32,768 characters; beyond it all is refused, and no more compiled', async () => {
    const most = MAX_RULES / LONG;
    await aMinion('web1', ...of('compound', MAX_NAMES));
    expect(Object.keys((await get(namesTo(most))) as object)).toHaveLength(most);
    expect(decided).toHaveLength(most);
    decided = [];
    expect(await get(namesTo(MAX_NAMES))).toEqual(refused(/allow_tgt differs too much/));
    expect(decided).toHaveLength(most);
  });

  it('are as long as their counts make them', async () => {
    sizeOfRules = 16 * 1000;
    const counting = namesTo(MAX_NAMES).map((name, n) =>
      item(name, n, `${READER} or E@${String(n)}x{990}`, 'compound'),
    );
    await aMinion('web1', ...counting);
    expect(Object.keys((await get(namesTo(32))) as object)).toHaveLength(32);
    decided = [];
    expect(await get(namesTo(MAX_NAMES))).toEqual(refused(/allow_tgt differs too much/));
    expect(decided).toHaveLength(33);
  });

  it('look at the data of the reader as much as one target may, all together; beyond it all is refused', async () => {
    workOfRules = 1_000_000;
    await aMinion('web1', ...of('compound', 8));
    expect(Object.keys((await get(namesTo(4))) as object)).toHaveLength(4);
    decided = [];
    expect(await get(namesTo(8))).toEqual(refused(/allow_tgt differs too much/));
    expect(decided).toHaveLength(5);
  });

  it('cost the reader a request for each 64 characters that were compiled', async () => {
    await aMinion('web1', ...of('compound', 2));
    const budget = new Budget({ rate: 1, burst: 2 + (2 * LONG) / 64 });
    const reads = async (names: readonly string[]) =>
      (await ask({ names: [...names] }, { budget })) as { code?: string };
    for (const name of namesTo(2)) expect(Object.keys(await reads([name]))).toEqual([name]);
    expect((await reads(['f0'])).code).toBe('slow_down');
  });

  it.each(['glob', 'list'])('of type %s count for nothing there: each minion may have its own', async (type) => {
    await aMinion('web1', ...of(type, MAX_NAMES));
    expect(await get(namesTo(MAX_NAMES))).toMatchObject({ f0: { web1: 0 }, f63: { web1: 63 } });
  });

  it('are told apart however their type and text are cut, so that nobody’s hides what another allows', async () => {
    await aMinion('liar', item('a', 1, 'or reader', 'compound reader'));
    await aMinion('web1', item('a', 2, 'reader or reader', 'compound'));
    expect(await get(['a'])).toEqual({ a: { web1: 2 } });
  });
});

/** Notes which names are looked up. */
function noting(real: Mines) {
  const names: string[] = [];
  return {
    names,
    kept: (name: string, asked: ReadonlyMap<string, string>) => {
      names.push(name);
      return real.kept(name, asked);
    },
  };
}

it('a reader pays for what it takes to find out whom its target means, and is told to slow down while it owes', async () => {
  await aMinion('web1', item('a', 1));
  const reads = async (tests: number) => {
    const budget = new Budget({ rate: 1, burst: 3 });
    return [await ask({ names: ['a'] }, { budget, tests }), await ask({ names: ['a'] }, { budget, tests })];
  };
  const answered = { a: { web1: 1 } };
  expect(await reads(19_999)).toEqual([answered, answered]);
  expect(await reads(50_000)).toEqual([answered, expect.objectContaining({ code: 'slow_down' })]);
});
