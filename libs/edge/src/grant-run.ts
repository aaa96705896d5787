/** Whether what a runner reads or asks comes with a valid grant-run: its proof that a caller was allowed to run it. */
import { digestOf } from '@natrium/bus';
import { type Grant, readGrant, toHex } from '@natrium/envelope';
import { ok, type Refusal, refuse, type Result } from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';
import type { RoleLink } from './role-link.js';

type GrantRun = Body<typeof contracts.read>['grantRun'];

export function checkGrantRun({ roles, clock }: RoleLink, grantRun: GrantRun): Result<Grant, Refusal> {
  if (grantRun === null) return refuse('not_permitted', 'a runner asks with its grant-run');
  const read = readGrant(grantRun.grant, roles.cluster, roles.keysOf('acl'), 'run', clock.now(), clock.skewMs);
  if (!read.ok) {
    const code = read.error === 'expired' ? 'grant_expired' : 'grant_signature';
    return refuse(code, `the grant-run is not valid (${read.error})`);
  }
  return toHex(read.value.requestDigest) === digestOf(grantRun.request)
    ? ok(read.value)
    : refuse('grant_digest', 'the grant-run is for another request');
}
