/** Rules of what the HTTP API's listeners are told of the owner of a job or run. */
import type { EventFeed as MasterFeed, Heard, Listening } from '@natrium/events';
import type { Principal } from '@natrium/model';
import { HttpFeed } from './http-feed.js';

const JID = '20261122140646000001';
const OWNER: Principal = { kind: 'account', name: 'ann' };

const heard = (n: number, jid = JID): Heard => ({
  cursor: String(n),
  tag: `salt/job/${jid}/ret/web${String(n)}`,
  data: {},
  stamp: '2026-11-22T14:06:46.000001',
  origin: { kind: 'service', name: 'gateway' },
  id: `gateway ${String(n)}`,
});

/** A bus that has said these events, those of a list together. */
function busOf(...events: readonly (Heard | readonly Heard[])[]): MasterFeed {
  const left = events.map((some): readonly Heard[] => [some].flat());
  const listening: Listening = {
    async *[Symbol.asyncIterator]() {
      await Promise.resolve();
      yield* left.flat();
    },
    take: () => Promise.resolve(left.shift()),
    bookmark: undefined,
    close: () => undefined,
  };
  return { subscribe: () => listening, fire: () => Promise.resolve() };
}

async function ownersOf(feed: HttpFeed): Promise<readonly (Principal | undefined)[]> {
  const owners: (Principal | undefined)[] = [];
  for await (const { owner } of feed.subscribe({})) owners.push(owner);
  return owners;
}

it('an event of a job names the job’s owner, who is looked for once', async () => {
  let reads = 0;
  const ownerOf = () => Promise.resolve(((reads += 1), OWNER));
  expect(await ownersOf(new HttpFeed(busOf(heard(1), heard(2)), ownerOf))).toEqual([OWNER, OWNER]);
  expect(reads).toBe(1);
});

it('a reading that failed hides from the owner only what waited for it', async () => {
  const reads: (() => Promise<Principal>)[] = [() => Promise.reject(new Error('no leader'))];
  const ownerOf = () => reads.shift()?.() ?? Promise.resolve(OWNER);
  expect(await ownersOf(new HttpFeed(busOf(heard(1), heard(2)), ownerOf))).toEqual([undefined, OWNER]);
});

it('a job that is no longer kept has no owner, and is looked for once', async () => {
  let reads = 0;
  const ownerOf = () => Promise.resolve(((reads += 1), undefined));
  expect(await ownersOf(new HttpFeed(busOf(heard(1), heard(2)), ownerOf))).toEqual([undefined, undefined]);
  expect(reads).toBe(1);
});

it('an event of a run names the user who asked for it, and nobody is looked for', async () => {
  const tag = `salt/run/${JID}/ret`;
  const event = (data: Heard['data']): Heard => ({ ...heard(1), tag, data });
  const feed = new HttpFeed(busOf(event({ user: 'ann', user_kind: 'token' }), event({ user: 'ann' })), () => {
    throw new Error('looked for');
  });
  expect(await ownersOf(feed)).toEqual([{ kind: 'token', name: 'ann' }, undefined]);
});

it('owners of several jobs are looked for at once, and the events are told in their order', async () => {
  const jids = ['1', '2', '3'].map((last) => `${JID.slice(0, -1)}${last}`);
  const looks: (() => void)[] = [];
  const ownerOf = async (jid: string): Promise<Principal> => {
    await new Promise<void>((found) => {
      looks.push(found);
      // The first that was asked for is found last.
      if (looks.length === jids.length) for (const look of looks.reverse()) look();
    });
    return { kind: 'account', name: jid };
  };
  const feed = new HttpFeed(busOf(jids.map((jid, n) => heard(n, jid))), ownerOf);
  expect(await ownersOf(feed)).toEqual(jids.map((name) => ({ kind: 'account', name })));
});

it('where no owner is wanted nobody is looked for, and from the moment on where one is, he is named', async () => {
  let reads = 0;
  let wanted = false;
  const feed = new HttpFeed(busOf(heard(1), heard(2)), () => Promise.resolve(((reads += 1), OWNER)));
  const told: unknown[] = [];
  for await (const { cursor, owner } of feed.subscribe({ namesOwners: () => wanted })) {
    told.push([cursor, owner, reads]);
    wanted = true;
  }
  expect(told).toEqual([
    ['1', undefined, 0],
    ['2', OWNER, 1],
  ]);
});

it('an event that was told without its owner to one listener names him to the next', async () => {
  const same = heard(1);
  const listening = () => busOf(same).subscribe();
  const feed = new HttpFeed({ ...busOf(), subscribe: listening }, () => Promise.resolve(OWNER));
  const owners: unknown[] = [];
  for (const isWanted of [false, true, false])
    for await (const { owner } of feed.subscribe({ namesOwners: () => isWanted })) owners.push(owner);
  expect(owners).toEqual([undefined, OWNER, undefined]);
});
