import { readAnnouncement } from '../announcement.js';
import { fromHex, toHex } from '../bytes.js';
import { readRolesChain } from '../roles.js';
import type { Signed } from '../signing.js';
import { sodiumReady } from '../sodium.js';
import { announcementVectors, rolesVectors, type SignedHex } from './roles.vectors.js';
import { committed } from './vector-file.js';

await sodiumReady();

const made = { roles: rolesVectors(), announcements: announcementVectors() };
const files = { roles: committed('roles', made.roles), announcements: committed('announcements', made.announcements) };
const signedOf = ({ bytes, signature }: SignedHex): Signed => ({
  bytes: fromHex(bytes),
  signature: fromHex(signature),
});

it('the committed vectors of roles and announcements are what the generator makes', () => {
  expect(files).toEqual(made);
});

it.each(files.roles.cases)('roles: $name gives $expect', (one) => {
  const chain = [fromHex(one.firstRoot), one.documents.map(signedOf)] as const;
  const read = readRolesChain(chain, { fingerprint: one.pin }, { now: one.now, minSerial: one.minSerial });
  expect(read.ok ? 'read' : read.error).toBe(one.expect);
  if (read.ok) expect([read.value.document.serial, toHex(read.value.cluster)]).toEqual([one.serial, one.cluster]);
});

it.each(files.announcements.cases)('announcements: $name gives $expect', (one) => {
  const keys = one.gatewayKeys.map(fromHex);
  const rolesKeyOf = (role: string): readonly Uint8Array[] => (role === 'gateway' ? keys : []);
  const read = readAnnouncement(signedOf(one), fromHex(one.cluster), one.now, rolesKeyOf, 30_000);
  expect(read.ok ? 'read' : read.error).toBe(one.expect);
  if (read.ok) expect(toHex(read.value.keyId)).toBe(one.keyId);
});
