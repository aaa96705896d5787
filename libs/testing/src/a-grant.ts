/** Grants as the acl-service would sign them, for tests that need one of another time or for other minions. */
import {
  type Cluster,
  type Grant,
  leafOf,
  MerkleTree,
  randomBytes,
  requestDigest,
  type Signed,
  signGrant,
  type SigningKey,
} from '@natrium/envelope';
import { jidOf } from '@natrium/model';
import type { Member } from './cluster/job-order.js';

const MINUTE_MS = 60_000;

/** A grant-job for `request` on `members`, issued at `issued`, for a minute; everything can be replaced. */
export function aGrant(
  signer: { readonly key: SigningKey; readonly cluster: Cluster },
  about: { readonly request: Uint8Array; readonly members: readonly Member[]; readonly issued: number },
  fields: Partial<Grant> = {},
): Signed {
  const { request, members, issued } = about;
  const tree = MerkleTree.of(members.map(({ id, key }) => leafOf(key, id)));
  return signGrant(signer.key, signer.cluster, {
    kind: 'job',
    id: randomBytes(16),
    requestDigest: requestDigest(request),
    caller: { kind: 'minion', name: 'web1.example.com' },
    onBehalfOf: [],
    jid: jidOf(issued * 1000),
    root: tree.root,
    count: tree.count,
    issued,
    expires: issued + MINUTE_MS,
    policyRevision: new Uint8Array(32),
    auditChain: 'test',
    auditNumber: 0,
    ...fields,
  });
}
