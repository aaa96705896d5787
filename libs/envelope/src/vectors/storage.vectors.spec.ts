import { auditHash, followsAudit, readAudit } from '../audit.js';
import { fromHex, toHex } from '../bytes.js';
import { sodiumReady } from '../sodium.js';
import { keyedName, openStored } from '../storage.js';
import { auditVectors, storageVectors } from './storage.vectors.js';
import { committed } from './vector-file.js';

await sodiumReady();

const made = { storage: storageVectors(), audit: auditVectors() };
const files = { storage: committed('storage', made.storage), audit: committed('audit', made.audit) };

it('the committed vectors of storage and audit are what the generator makes', () => {
  expect(files).toEqual(made);
});

it.each(files.storage.cases)('storage: $name gives $expect', (one) => {
  const key = { id: one.keyId, key: fromHex(one.key) };
  const opened = openStored((id) => (id === key.id ? key : undefined), one.place, fromHex(one.bytes));
  expect(opened.ok ? 'opened' : opened.error).toBe(one.expect);
  if (opened.ok) expect(toHex(opened.value)).toBe(one.plaintext);
  if (one.keyedName !== undefined) expect(keyedName(key, one.place)).toBe(one.keyedName);
});

it.each(files.audit.cases)('audit: $name is whole: $expect', ({ records, expect: expected, hash }) => {
  const bytes = records.map(fromHex);
  const whole = bytes.every((one, i) => {
    const record = readAudit(one);
    return record.ok && followsAudit(bytes[i - 1], record.value);
  });
  expect(whole).toBe(expected);
  if (hash !== undefined) expect(toHex(auditHash(bytes.at(-1) ?? new Uint8Array(0)))).toBe(hash);
});
