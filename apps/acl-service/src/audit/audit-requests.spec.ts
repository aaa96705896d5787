/** Rules of handing out the audit: each answer fits into one message, and no record stands in the way of those behind it. */
import { MemoryStore } from '@natrium/bus';
import { encode, sodiumReady } from '@natrium/envelope';
import { isList, isMap, type Value } from '@natrium/model';
import type { AuditArchive } from './audit-archive.js';
import type { AuditHeads } from './audit-heads.js';
import { AuditIndex } from './audit-index.js';
import { auditHandler } from './audit-requests.js';

/** Of a message, with room for the envelope and its padding. */
const MESSAGE = 7 << 20;

beforeAll(sodiumReady);

/** None was made. */
const archive = { stored: () => Promise.resolve(undefined) } as unknown as AuditArchive;

/** What is told of each record, page by page: its bytes, or what stands in their place. */
async function told(...groups: readonly (readonly number[])[]): Promise<readonly (readonly Value[])[]> {
  const store = new MemoryStore('audit');
  let number = 0;
  for (const sizes of groups) {
    await store.put(`a.acl1.${String(number)}`, encode(sizes.map((size) => new Uint8Array(size))));
    number += sizes.length;
  }
  const read = auditHandler({ index: await AuditIndex.open(store), heads: {} as AuditHeads, archive });
  const pages: Value[][] = [];
  for (let from = 0; ;) {
    const answer = await read('audit.read', [{ from, limit: 1000 }], () => undefined);
    const page = answer.ok && isMap(answer.value) ? answer.value : {};
    expect(JSON.stringify(page).length).toBeLessThan(MESSAGE);
    const found = isList(page['groups']) ? page['groups'] : [];
    pages.push(found.flatMap((group) => (isMap(group) && isList(group['records']) ? group['records'] : [])));
    if (page['last'] === true) return pages;
    expect(page['next']).toBeGreaterThan(from);
    from = Number(page['next']);
  }
}

const base64 = (size: number) => Buffer.alloc(size).toString('base64');

it('a record that no message carries is told by its size, and who reads goes on behind it', async () => {
  const large = 6_500_000;
  expect(await told([1], [large], [2])).toEqual([[base64(1)], [{ bytes: large }], [base64(2)]]);
});

it('of a group that no message carries the largest records are told by their size, and no more of them than it takes', async () => {
  const [a, b] = [3_000_000, 3_000_001];
  expect(await told([1, a, b, 2])).toEqual([[base64(1), base64(a), { bytes: b }, base64(2)]]);
});

it('a record that one message carries is told whole, alone', async () => {
  const large = 4_500_000;
  expect(await told([1], [large], [2])).toEqual([[base64(1)], [base64(large)], [base64(2)]]);
});
