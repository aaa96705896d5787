/** Rules of runs whose end is not kept yet: whose gateway is gone, another one has them, and one alone. */
import { MemoryStore, readAsked } from '@natrium/bus';
import { encodeRequest, sodiumReady } from '@natrium/envelope';
import type { RunStart } from '@natrium/flow';
import { jidOf } from '@natrium/model';
import { aRequest } from '@natrium/testing';
import { OpenRuns } from './open-runs.js';

await sodiumReady();

const NOW = 1_795_000_000_000;
const runOf = (n: number): RunStart => {
  const bytes = encodeRequest(aRequest(NOW, { what: 'run', funs: ['manage.up'] }));
  return { request: readAsked(bytes)!, bytes, jid: jidOf(NOW * 1000 + n), caller: { kind: 'account', name: 'alice' } };
};
const [FIRST, SECOND] = [runOf(1), runOf(2)] as const;

async function taken(runs: OpenRuns, from: string): Promise<RunStart[]> {
  const all: RunStart[] = [];
  for await (const run of runs.take(from)) all.push(run);
  return all;
}

let store: MemoryStore;
let [a, b, c]: OpenRuns[] = [];
beforeEach(() => {
  store = new MemoryStore('jobs');
  [a, b, c] = ['a', 'b', 'c'].map((instance) => new OpenRuns(store, instance));
});

it('they are another gateway’s as they were asked for, and no further one’s', async () => {
  await a!.begin(FIRST);
  await c!.begin(SECOND);
  expect(await taken(b!, 'a')).toEqual([FIRST]);
  expect([await taken(c!, 'a'), await taken(a!, 'a')]).toEqual([[], []]);
});

it('of two that take them at once one alone has each', async () => {
  for (const run of [FIRST, SECOND]) await a!.begin(run);
  const both = await Promise.all([taken(b!, 'a'), taken(c!, 'a')]);
  expect(both.flat().map(({ jid }) => jid).sort()).toEqual([FIRST.jid, SECOND.jid]); // prettier-ignore
});

it('whoever took them and is gone as well leaves them to the next one', async () => {
  await a!.begin(FIRST);
  await taken(b!, 'a');
  expect(await taken(c!, 'b')).toEqual([FIRST]);
});

it('one that was taken without a word of the broker is found again; one that began here is not', async () => {
  await a!.begin(FIRST);
  await b!.begin(SECOND);
  const update = store.update.bind(store);
  store.update = async (...how) => {
    await update(...how);
    throw new Error('no acknowledgement');
  };
  await expect(taken(b!, 'a')).rejects.toThrow('no acknowledgement');
  expect(await taken(b!, 'a')).toEqual([FIRST]);
});

it('one whose end another gateway has kept is not remembered as one that began here', async () => {
  await a!.begin(FIRST);
  await b!.end(FIRST.jid);
  expect(await a!.isOpen(FIRST.jid)).toBe(false);
  await b!.begin(FIRST);
  await taken(a!, 'b');
  expect(await taken(a!, 'b')).toEqual([FIRST]);
});

it('one that has ended is nobody’s, also where it ended while it was being written', async () => {
  const create = store.create.bind(store);
  let write: () => void = () => undefined;
  store.create = async (...how) => {
    await new Promise<void>((resolve) => (write = resolve));
    return create(...how);
  };
  const both = [a!.begin(FIRST), a!.end(FIRST.jid)];
  await new Promise(setImmediate);
  write();
  await Promise.all(both);
  store.create = create;
  expect(await a!.isOpen(FIRST.jid)).toBe(false);
  expect(await taken(b!, 'a')).toEqual([]);
  await a!.begin(SECOND);
  expect(await a!.isOpen(SECOND.jid)).toBe(true);
});
