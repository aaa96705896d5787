import { readAuditCut, readAuditHead } from '../audit.js';
import { fromHex, toHex } from '../bytes.js';
import { readData } from '../data.js';
import { readGrant } from '../grant.js';
import { readJoin } from '../join.js';
import { NOW, seedOf } from '../parties.spec-support.js';
import { readRequest, requestDigest } from '../request.js';
import { readRoster } from '../roster.js';
import { type Signed, SIGNED_WHATS, type SignedWhat, verify } from '../signing.js';
import { sodiumReady } from '../sodium.js';
import { readTime } from '../time.js';
import { grantVectors, objectVectors, requestVectors } from './object.vectors.js';
import type { SignedHex } from './roles.vectors.js';
import { committed } from './vector-file.js';

await sodiumReady();

const made = { requests: requestVectors(), grants: grantVectors(), objects: objectVectors() };
const files = {
  requests: committed('requests', made.requests),
  grants: committed('grants', made.grants),
  objects: committed('objects', made.objects),
};
const cluster = fromHex(files.objects.cluster);
const aclKeys = files.objects.aclKeys.map(fromHex);
const signedOf = ({ bytes, signature }: SignedHex): Signed => ({
  bytes: fromHex(bytes),
  signature: fromHex(signature),
});

it('the committed vectors of requests, grants and objects are what the generator makes', () => {
  expect(files).toEqual(made);
});

it.each(files.requests.cases)('requests: $name is $expect', ({ bytes, digest, expect: expected }) => {
  expect(readRequest(fromHex(bytes)).ok).toBe(expected === 'read');
  if (digest !== undefined) expect(toHex(requestDigest(fromHex(bytes)))).toBe(digest);
});

it.each(files.grants.cases)('grants: $name gives $expect', (one) => {
  const read = readGrant(signedOf(one), cluster, aclKeys, one.kind, one.now, 30_000);
  expect(read.ok ? 'read' : read.error).toBe(one.expect);
});

const readers: Partial<Record<SignedWhat, (object: Signed, key: Uint8Array) => { readonly ok: boolean }>> = {
  roster: (object, key) => readRoster(object, cluster, [key]),
  time: (object, key) => readTime(object, cluster, [key], seedOf('nonce')),
  data: (object, key) => readData(object, cluster, key, 0),
  join: (object) => readJoin(object, cluster, { now: NOW, skewMs: 0, maxAgeMs: 0 }),
  audit: (object, key) => readAuditHead(object, cluster, [key]),
  'audit-cut': (object, key) => readAuditCut(object, cluster, [key]),
};

it.each(files.objects.cases)('objects: $name is read, and verifies as nothing else', (one) => {
  const object = signedOf(one);
  const key = fromHex(one.signer);
  expect(readers[one.what]?.(object, key).ok).toBe(true);
  const as = SIGNED_WHATS.filter((what) => verify(what, cluster, key, object.bytes, object.signature));
  expect(as).toEqual([one.what]);
});
