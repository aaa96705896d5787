/** Rules of jobs that this instance may have made its own: nobody else goes on with such a one, so it is not forgotten. */
import { MemoryStore } from '@natrium/bus';
import { parseJid } from '@natrium/model';
import { askedOf, recordOf } from './a-record.spec-support.js';
import { JobCache } from './job-cache.js';

const JID = parseJid('20261120141646000001')!;
const PLACE = '1'.padStart(64, '0');

class SilentStore extends MemoryStore {
  isSilent = true;

  /** What is updated comes into effect; whoever did it hears of that only where it is not silent. */
  override async update(key: string, value: Uint8Array, revision: number): Promise<number | undefined> {
    const updated = await super.update(key, value, revision);
    if (this.isSilent) throw new Error('no acknowledgement in time');
    return updated;
  }
}

let store: SilentStore;
let cache: JobCache;
beforeEach(async () => {
  store = new SilentStore('jobs');
  const gone = new JobCache([store], { instance: 'gw9', now: () => 0 });
  await gone.begin();
  await gone.create(askedOf(recordOf(JID, { instance: 'gw9' })), PLACE);
  cache = new JobCache([store], { instance: 'gw1', now: () => 0 });
});

const move = async () => cache.move((await cache.find(PLACE))!, PLACE);
const left = async () => (await cache.leftBy('gw9')).map(({ asked }) => [asked.jid, asked.instance]);

it('counts among those that its instance has left as long as nobody has acknowledged that it is this one’s', async () => {
  await expect(move()).rejects.toThrow('no acknowledgement');
  expect((await cache.find(PLACE))?.asked.instance).toBe('gw1');
  expect([await left(), cache.movedFrom('gw9')]).toEqual([[[JID, 'gw9']], []]);
});

it('and then as one that was moved from there, though an earlier try had made it this one’s', async () => {
  await expect(move()).rejects.toThrow('no acknowledgement');
  store.isSilent = false;
  expect(await move()).toBe(true);
  expect([await left(), cache.movedFrom('gw9').map(({ asked }) => asked.instance)]).toEqual([[], ['gw9']]);
});

it('is nothing to it where somebody else was quicker', async () => {
  const found = (await cache.find(PLACE))!;
  await new JobCache([store], { instance: 'gw2', now: () => 0 }).move(found, PLACE).catch(() => undefined);
  store.isSilent = false;
  expect(await cache.move(found, PLACE)).toBe(false);
  expect([await left(), cache.movedFrom('gw9')]).toEqual([[], []]);
});
