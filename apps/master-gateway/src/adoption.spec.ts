/** Rules of what becomes of a dead gateway's jobs that have ended: they are found by their jids, and nothing is forgotten before. */
import type { JobTakeover } from '@natrium/flow';
import { Adoption } from './adoption.js';
import type { JobCache } from './job-cache.js';
import type { Minions } from './minions.js';

const LEFT = ['one', 'two'].map((place) => ({ place, record: { jid: place, request: new Uint8Array(1) } }));

const forEver = () => new Promise<void>(() => undefined);

function anAdoption(keepIndex: () => Promise<void>, patience = forEver()) {
  const did: string[] = [];
  const cache = {
    leftBy: () => Promise.resolve(LEFT),
    keepIndex: (_: unknown, place: string) => {
      did.push(`index ${place}`);
      return keepIndex();
    },
    forget: (instance: string) => {
      did.push(`forget ${instance}`);
      return Promise.resolve();
    },
  };
  const takeover = { take: () => did.push('take') };
  const adoption = new Adoption({
    cache: cache as unknown as JobCache,
    minions: { keyOf: () => undefined } as unknown as Minions,
    takeover: takeover as unknown as JobTakeover,
    now: () => 0,
    pause: (ms) => (ms === 5000 ? patience : Promise.reject(new Error('another pause'))),
    onAdopted: () => undefined,
  });
  return { adoption, did };
}

it('the index of each is written before their gateway is forgotten, and nothing of them is begun again', async () => {
  const { adoption, did } = anAdoption(() => Promise.resolve());
  await adoption.adopt('gw9', true);
  expect(did).toEqual(['index one', 'index two', 'forget gw9']);
});

it('a gateway that may come back is not forgotten', async () => {
  const { adoption, did } = anAdoption(() => Promise.resolve());
  await adoption.adopt('gw9', false);
  expect(did).toEqual(['index one', 'index two']);
});

it('a broker that takes no writes holds nobody up, and the gateway stays to be looked at again', async () => {
  const { adoption, did } = anAdoption(forEver, Promise.resolve());
  await adoption.adopt('gw9', true);
  expect(did).toEqual(['index one', 'index two']);
});
