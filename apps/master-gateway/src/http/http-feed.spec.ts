/** Rules of what the HTTP API's listeners are told of a job's owner. */
import type { EventFeed as MasterFeed, Heard, Listening } from '@natrium/events';
import type { Principal } from '@natrium/model';
import { HttpFeed } from './http-feed.js';

const JID = '20261122140646000001';
const OWNER: Principal = { kind: 'account', name: 'ann' };

const heard = (n: number): Heard => ({
  cursor: String(n),
  tag: `salt/job/${JID}/ret/web${String(n)}`,
  data: {},
  stamp: '2026-11-22T14:06:46.000001',
  origin: { kind: 'service', name: 'gateway' },
  id: `gateway ${String(n)}`,
});

/** A bus that has said these events. */
function busOf(...events: readonly Heard[]): MasterFeed {
  const listening: Listening = {
    async *[Symbol.asyncIterator]() {
      await Promise.resolve();
      yield* events;
    },
    take: () => Promise.resolve(undefined),
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

it('a reading that failed hides only its own event from the owner', async () => {
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
