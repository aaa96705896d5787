/** Rules of tokens: every replica knows them, none after its end; the store holds no token's text. */
import { MemoryStore } from '@natrium/bus';
import type { records } from '@natrium/wire';
import { Tokens } from './tokens.js';

const NOW = 1_795_000_000_000;
const ANNA: records.TokenEntry = {
  use: 'session',
  eauth: 'file',
  name: 'anna',
  groups: [],
  start: NOW,
  expires: NOW + 1000,
  list: null,
};

/** Counts what it is asked for. */
class CountingStore extends MemoryStore {
  gets = 0;

  override get(key: string) {
    this.gets += 1;
    return super.get(key);
  }
}

let store: CountingStore;
beforeEach(() => {
  store = new CountingStore('tokens');
});

const open = () => Tokens.follow(store, () => NOW);

it('are known to every replica, also to one that starts later, without asking the store at each use', async () => {
  const one = await open();
  const token = await one.issue(ANNA);
  const two = await open();
  for (const tokens of [one, two]) expect(await tokens.find(token)).toEqual(ANNA);
  expect(store.gets).toBe(0);
  expect((await store.list('*')).map(({ key }) => key).join()).not.toContain(token);
});

it.each([
  ['ended', (tokens: Tokens, token: string) => tokens.end(token)],
  ['revoked', async (tokens: Tokens) => tokens.revoke((await tokens.list())[0]?.id ?? '')],
  ['revoked by name', (tokens: Tokens) => tokens.revokeOf('file', 'anna')],
])('one that was %s at one replica is none at any', async (_, end) => {
  const [one, two] = [await open(), await open()];
  const token = await one.issue(ANNA);
  expect(await two.find(token)).toEqual(ANNA);
  await end(one, token);
  for (const tokens of [one, two]) expect(await tokens.find(token)).toBeUndefined();
});

it.each(['Anna', ' ANNA'])('of anna end when those of %j are revoked, and no others', async (name) => {
  const tokens = await open();
  const [hers, his] = [await tokens.issue(ANNA), await tokens.issue({ ...ANNA, name: 'annabel' })];
  expect(await tokens.revokeOf(undefined, name)).toMatchObject([{ name: 'anna' }]);
  expect(await tokens.find(hers)).toBeUndefined();
  expect(await tokens.find(his)).toMatchObject({ name: 'annabel' });
});

it('what is no token is not looked for', async () => {
  const tokens = await open();
  expect(await tokens.find('*')).toBeUndefined();
  expect(await tokens.find('0'.repeat(40))).toBeUndefined();
  expect(store.gets).toBe(1);
});
