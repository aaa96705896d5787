/** Rules of the inventory: only a minion's own newest document counts, and what is remembered of targets is forgotten with each change. */
import { MemoryStore } from '@natrium/bus';
import { type Cluster, clusterOf, signData, SigningKey, sodiumReady } from '@natrium/envelope';
import type { ValueMap } from '@natrium/model';
import { Inventory } from './inventory.js';

let store: MemoryStore;
let cluster: Cluster;
let web1: SigningKey;
let pillars: {
  inDoubt: boolean;
  revision: number;
  readonly of: (id: string, grains: ValueMap) => { pillar: ValueMap; revision: number };
};
beforeAll(sodiumReady);
beforeEach(() => {
  store = new MemoryStore('data');
  cluster = clusterOf(SigningKey.generate().publicKey);
  web1 = SigningKey.generate();
  pillars = { inDoubt: false, revision: 0, of: (id, { os = null }) => ({ pillar: { for: id, os }, revision: 7 }) };
});

const open = () => Inventory.open(store, cluster, pillars);
const data = (number: number, os: string, by = web1) => signData(by, cluster, { number, grains: { os } });

describe('the inventory', () => {
  it('takes a newer document, on every replica, and no older one', async () => {
    const [one, two] = [await open(), await open()];
    expect(await one.write(web1.publicKey, data(5, 'Debian'))).toBe(true);
    expect(await one.write(web1.publicKey, data(6, 'Alpine'))).toBe(true);
    expect(await one.write(web1.publicKey, data(5, 'Debian'))).toBe(false);
    for (const inventory of [one, two]) expect(inventory.grainsOf(web1.publicKey)).toEqual({ os: 'Alpine' });
  });

  it('takes no document of another, and no second one under the same number', async () => {
    const inventory = await open();
    expect(await inventory.write(web1.publicKey, data(5, 'Debian', SigningKey.generate()))).toBe(false);
    expect(inventory.dataOf(web1.publicKey, 'web1')).toBeUndefined();
    expect(await inventory.write(web1.publicKey, data(5, 'Debian'))).toBe(true);
    expect(await inventory.write(web1.publicKey, data(5, 'Alpine'))).toBe(false);
    expect(inventory.grainsOf(web1.publicKey)).toEqual({ os: 'Debian' });
  });

  it('takes a document that it has under its own signature only', async () => {
    const inventory = await open();
    const document = data(5, 'Debian');
    const forged = { ...document, signature: data(5, 'Alpine').signature };
    expect(await inventory.write(web1.publicKey, forged)).toBe(false);
    expect(await inventory.write(web1.publicKey, document)).toBe(true);
    expect(await inventory.write(web1.publicKey, forged)).toBe(false);
    expect(await inventory.write(web1.publicKey, document)).toBe(true);
  });

  it('has another revision after each change of grains or pillar, and the same one after the same document', async () => {
    const inventory = await open();
    const revisions = [inventory.revision];
    for (const document of [data(5, 'Debian'), data(6, 'Alpine')]) {
      await inventory.write(web1.publicKey, document);
      revisions.push(inventory.revision);
      expect(await inventory.write(web1.publicKey, document)).toBe(true);
      expect(inventory.revision).toBe(revisions.at(-1));
    }
    pillars.revision += 1;
    expect(new Set([...revisions, inventory.revision]).size).toBe(4);
  });

  it('knows the pillar of whoever has sent data', async () => {
    const inventory = await open();
    expect(inventory.pillarOf(web1.publicKey, 'web1')).toBeUndefined();
    await inventory.write(web1.publicKey, data(5, 'Debian'));
    expect(inventory.pillarOf(web1.publicKey, 'web1')).toEqual({ pillar: { for: 'web1', os: 'Debian' }, revision: 7 });
    expect(inventory.dataOf(web1.publicKey, 'web1')).toEqual({
      grains: { os: 'Debian' },
      pillar: { for: 'web1', os: 'Debian' },
      pillarInDoubt: false,
    });
    pillars.inDoubt = true;
    expect(inventory.dataOf(web1.publicKey, 'web1')?.pillarInDoubt).toBe(true);
  });
});
