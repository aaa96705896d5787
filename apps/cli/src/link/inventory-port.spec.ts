import { ok, type Value } from '@natrium/model';
import { readInventory } from './inventory-port.js';

it('reads page after page, and stops at one that leads nowhere', async () => {
  const pages: readonly Value[] = [
    { accepted: ['a', 'b'], cache: { a: { grains: { os: 'X' } } }, next: 'b' },
    { accepted: ['c'], cache: {}, next: 'b' },
  ];
  const asked: unknown[] = [];
  const list = await readInventory({
    admin: (_what, fun, args) => Promise.resolve(ok(pages[asked.push([fun, args]) - 1] ?? null)),
  });
  expect(asked).toEqual([['inventory.read', []], ['inventory.read', [{ after: 'b' }]]]); // prettier-ignore
  expect(list).toEqual(ok({ accepted: ['a', 'b', 'c'], cache: { a: { grains: { os: 'X' } } } }));
});
