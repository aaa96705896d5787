/** Rules of what is stored of keys that nobody has: it goes at the second look, and nothing of anybody else's does. */
import { MemoryStore } from '@natrium/bus';
import { fp, sodiumReady, toHex } from '@natrium/envelope';
import { Sweeping } from './sweeping.js';

beforeAll(sodiumReady);

const keyOf = (number: number) => new Uint8Array(32).fill(number);
const [WEB1, GONE] = [keyOf(1), keyOf(2)];

class Kept {
  readonly stored = new Map<string, Uint8Array>();

  get keys(): readonly Uint8Array[] {
    return [...this.stored.values()];
  }

  put(key: Uint8Array): void {
    this.stored.set(toHex(key), key);
  }

  forget(key: Uint8Array): Promise<void> {
    this.stored.delete(toHex(key));
    return Promise.resolve();
  }
}

async function aWorld() {
  const [inventory, mines, announcements] = [new Kept(), new Kept(), new MemoryStore('announcements')];
  const nobodys = new Set([toHex(GONE)]);
  const alerts: string[] = [];
  for (const key of [WEB1, GONE]) {
    for (const kept of [inventory, mines]) kept.put(key);
    await announcements.put(`m.${fp(key)}`, new Uint8Array(1));
  }
  const sweeping = new Sweeping({
    roster: { isNobodys: (key) => nobodys.has(toHex(key)) },
    inventory,
    mines,
    announcements,
    log: { error: () => alerts.push('still stored') },
  });
  const left = async () => [inventory.keys, mines.keys, (await announcements.list('>')).map(({ key }) => key)];
  return { sweeping, nobodys, inventory, announcements, alerts, left };
}

const of = (...keys: readonly Uint8Array[]) => [keys, keys, keys.map((key) => `m.${fp(key)}`)];

it('goes at the second look that finds it', async () => {
  const { sweeping, left } = await aWorld();
  await sweeping.look();
  expect(await left()).toEqual(of(WEB1, GONE));
  await sweeping.look();
  expect(await left()).toEqual(of(WEB1));
});

it('stays when the key is somebody’s again by then', async () => {
  const { sweeping, nobodys, left } = await aWorld();
  await sweeping.look();
  nobodys.clear();
  await sweeping.look();
  nobodys.add(toHex(GONE));
  await sweeping.look();
  expect(await left()).toEqual(of(WEB1, GONE));
});

it('goes with a later look where the store did not take that', async () => {
  const { sweeping, announcements, alerts, left } = await aWorld();
  const remove = announcements.delete.bind(announcements);
  announcements.delete = () => Promise.reject(new Error('the broker does not answer'));
  for (let looks = 0; looks < 2; looks += 1) await sweeping.look();
  expect([alerts, await left()]).toEqual([['still stored'], of(WEB1, GONE)]);
  announcements.delete = remove;
  await sweeping.look();
  expect(await left()).toEqual(of(WEB1));
});

it('stays when the key comes back while others go', async () => {
  const { sweeping, nobodys, inventory, announcements } = await aWorld();
  const BACK = keyOf(3);
  inventory.put(BACK);
  nobodys.add(toHex(BACK));
  await sweeping.look();
  const remove = announcements.delete.bind(announcements);
  announcements.delete = (place: string) => {
    nobodys.delete(toHex(BACK));
    return remove(place);
  };
  await sweeping.look();
  expect(inventory.keys).toEqual([WEB1, BACK]);
});
