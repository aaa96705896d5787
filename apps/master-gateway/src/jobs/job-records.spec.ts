/** Rules of a job whose writing is acknowledged late: a take-over here may have gone on with it by then. */
import { MemoryStore } from '@natrium/bus';
import { parseJid } from '@natrium/model';
import { askedOf, recordOf } from './a-record.spec-support.js';
import { JobCache } from './job-cache.js';

const JID = parseJid('20261120141646000001')!;
const PLACE = '1'.padStart(64, '0');

/** What is created comes into effect at once, and is acknowledged when it is told so. */
class SlowStore extends MemoryStore {
  acknowledge: () => void = () => undefined;

  override async create(key: string, value: Uint8Array): Promise<number | undefined> {
    const revision = await super.create(key, value);
    await new Promise<void>((resolve) => (this.acknowledge = resolve));
    return revision;
  }
}

/** What is created comes into effect, and nobody hears of it. */
class LosingStore extends MemoryStore {
  override async create(key: string, value: Uint8Array): Promise<number | undefined> {
    await super.create(key, value);
    throw new Error('no acknowledgement in time');
  }
}

let store: SlowStore;
let [cache, other]: JobCache[] = [];
beforeEach(async () => {
  store = new SlowStore('jobs');
  [cache, other] = ['gw1', 'gw2'].map((instance) => new JobCache([store], { instance, now: () => 0 }));
  await cache!.begin();
});

/** Its creation is acknowledged when a take-over here has gone on with it. */
async function takenFirst() {
  const creating = cache!.create(askedOf(recordOf(JID)), PLACE);
  expect(await cache!.move((await cache!.find(PLACE))!, PLACE)).toBe(true);
  store.acknowledge();
  return creating;
}

it('is gone on with where it is there after the last try, instead of being refused: another gateway may be sending it', async () => {
  const lost = new LosingStore('jobs');
  const made = new JobCache([lost], { instance: 'gw1', now: () => 0 });
  expect(await made.create(askedOf(recordOf(JID)), PLACE)).toEqual({ type: 'created', revision: 1 });
});

const left = async () => (await other!.leftBy('gw1')).map(({ asked }) => asked.jid);

it('is the take-over’s: who has created it goes on with that one, and does not begin it a second time', async () => {
  expect(await takenFirst()).toEqual({ type: 'exists' });
});

it('is left where its gateway goes while it is open, and not once it has ended', async () => {
  const created = await takenFirst();
  if (created.type === 'created') await cache!.drop(PLACE, created.revision);
  await cache!.tellOldest(() => true);
  expect(await left()).toContain(JID);
  for (let looks = 0; looks < 2; looks += 1) await cache!.tellOldest(() => false);
  expect(await left()).not.toContain(JID);
});

it('is found where it was begun after its gateway was taken for gone: only what was read then is forgotten of that', async () => {
  const plain = new MemoryStore('jobs');
  const [back, next] = ['gw1', 'gw2'].map((instance) => new JobCache([plain], { instance, now: () => 0 }));
  await back!.begin();
  expect(await next!.leftBy('gw1')).toEqual([]);
  await back!.create(askedOf(recordOf(JID)), PLACE);
  await back!.tellOldest(() => true);
  await next!.forget('gw1');
  expect((await next!.leftBy('gw1')).map(({ asked }) => asked.jid)).toEqual([JID]);
  await next!.forget('gw1');
  expect(await next!.instances()).toEqual([]);
});
