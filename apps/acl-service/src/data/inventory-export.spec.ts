import { isMap, refusal, type ValueMap } from '@natrium/model';
import { inventoryHandler } from './inventory-export.js';

const note = () => undefined;

function handler(grains: Readonly<Record<string, ValueMap | undefined>>) {
  const ids = Object.keys(grains);
  const keyOf = (id: string) => new Uint8Array([ids.indexOf(id)]);
  return inventoryHandler(
    { acceptedMinions: () => new Set(ids), keyOfMinion: keyOf },
    { grainsOf: (key) => grains[ids[key[0] ?? 0] ?? ''] },
  );
}

describe('inventory.read', () => {
  it('gives accepted ids with grains; who never reported is not in the cache', async () => {
    const done = await handler({ b: { os: 'Debian' }, a: undefined })('inventory.read', [], note);
    expect(done).toEqual({
      ok: true,
      value: { accepted: ['a', 'b'], cache: { b: { grains: { os: 'Debian' } } }, next: null },
    });
  });

  it('gives pages that together hold everybody, each bounded', async () => {
    const read = handler(
      Object.fromEntries(
        Array.from({ length: 30 }, (_, n) => [`m${String(n).padStart(2, '0')}`, { blob: 'x'.repeat(9_000) }]),
      ),
    );
    const seen: unknown[] = [];
    let after: string | undefined;
    do {
      const done = await read('inventory.read', after === undefined ? [] : [{ after }], note);
      if (!done.ok || !isMap(done.value)) throw new Error('refused');
      const { accepted, next } = done.value;
      expect(JSON.stringify(done.value).length).toBeLessThan(50_000);
      seen.push(...(accepted as readonly string[]));
      after = typeof next === 'string' ? next : undefined;
    } while (after !== undefined);
    expect(seen).toHaveLength(30);
  });

  it('refuses what is no such request', async () => {
    const refused = { ok: false, error: refusal('bad_request', 'inventory.read takes {after: id}') };
    expect(await handler({})('inventory.write', [], note)).toEqual(refused);
    expect(await handler({})('inventory.read', [{ after: 3 }], note)).toEqual(refused);
  });
});
