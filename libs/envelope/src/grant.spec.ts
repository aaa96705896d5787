import { MAX_GRANT_JOB } from '@natrium/model';
import { encode, type Wire } from './encoding.js';
import { type Grant, type GrantKind, type GrantProblem, readGrant, signGrant } from './grant.js';
import { clusterOf } from './keys.js';
import { aGrant, CLUSTER, identityOf, NOW, rootOf, SKEW } from './parties.spec-support.js';
import { type Signed, signed } from './signing.js';
import { sodiumReady } from './sodium.js';

await sodiumReady();

const acl = identityOf('acl role');
const keys = [identityOf('new acl role').publicKey, acl.publicKey];

const job = aGrant();
const run: Grant = { ...job, kind: 'run', root: new Uint8Array(32), count: 0, expires: NOW + 3_600_000 };

const grantOf = (change: Partial<Grant> = {}): Signed => signGrant(acl.signing, CLUSTER(), { ...job, ...change });

function problemOf(object: Signed, kind: GrantKind = 'job', now = NOW): GrantProblem | undefined {
  const read = readGrant(object, CLUSTER(), keys, kind, now, SKEW);
  return read.ok ? undefined : read.error;
}

function partsOf({ kind: _kind, id, requestDigest, caller, onBehalfOf, ...rest }: Grant): Wire {
  const others: readonly Wire[] = Object.values(rest);
  return [id, requestDigest, [caller.kind, caller.name], onBehalfOf.map(({ kind, name }) => [kind, name]), ...others];
}

describe('a grant', () => {
  it.each([job, run])('of either kind is read as it was signed', (grant) => {
    const object = signGrant(acl.signing, CLUSTER(), grant);
    expect(readGrant(object, CLUSTER(), keys, grant.kind, NOW, SKEW)).toEqual({ ok: true, value: grant });
  });

  it('of one kind is never the other', () => {
    expect(problemOf(signGrant(acl.signing, CLUSTER(), run), 'job')).toBe('signature');
    expect(problemOf(grantOf(), 'run')).toBe('signature');
  });

  it('of another key or cluster is refused', () => {
    expect(problemOf(signGrant(identityOf('web1').signing, CLUSTER(), job))).toBe('signature');
    expect(problemOf(signGrant(acl.signing, clusterOf(rootOf('other').publicKey), job))).toBe('signature');
  });

  it('holds until it expires and not a millisecond longer', () => {
    expect(problemOf(grantOf(), 'job', NOW + 60_000)).toBeUndefined();
    expect(problemOf(grantOf(), 'job', NOW + 60_001)).toBe('expired');
  });

  it('from the future is refused beyond the skew', () => {
    expect(problemOf(grantOf(), 'job', NOW - SKEW)).toBeUndefined();
    expect(problemOf(grantOf(), 'job', NOW - SKEW - 1)).toBe('future');
  });

  it('for a job never lives longer than a minute: neither signed nor read', () => {
    const long = { ...job, expires: NOW + MAX_GRANT_JOB + 1 };
    expect(() => grantOf(long)).toThrow(RangeError);
    expect(problemOf(forged(long))).toBe('shape');
    expect(problemOf(forged(job))).toBeUndefined();
  });

  it.each<[string, Partial<Grant>]>([
    ['2^31-1 minions', { count: 2 ** 31 - 1 }],
    ['a name of 255 characters', { caller: { kind: 'minion', name: 'n'.repeat(255) } }],
    ['16 on whose behalf', { onBehalfOf: Array.from({ length: 16 }, () => job.caller) }],
    ['an audit chain of 64 characters', { auditChain: 'c'.repeat(64) }],
  ])('may have %s', (_name, change) => {
    expect(problemOf(grantOf(change))).toBeUndefined();
  });

  it.each<[string, Partial<Grant>]>([
    ['no minion', { count: 0 }],
    ['2^31 minions', { count: 2 ** 31 }],
    ['a jid that is none', { jid: '../20261120112404639' }],
    ['an end before its beginning', { expires: NOW }],
    ['a short digest', { requestDigest: new Uint8Array(31) }],
    ['a caller without a name', { caller: { kind: 'minion', name: '' } }],
    ['a name of 256 characters', { caller: { kind: 'minion', name: 'n'.repeat(256) } }],
    ['an audit chain of 65 characters', { auditChain: 'c'.repeat(65) }],
    ['17 on whose behalf', { onBehalfOf: Array.from({ length: 17 }, () => job.caller) }],
  ])('with %s is neither signed nor read', (_name, change) => {
    expect(() => grantOf(change)).toThrow(RangeError);
    expect(problemOf(forged({ ...job, ...change }))).toBe('shape');
  });

  it('for a run names no minion', () => {
    expect(() => signGrant(acl.signing, CLUSTER(), { ...run, count: 1 })).toThrow(RangeError);
    const rooted = { ...run, root: job.root };
    expect(() => signGrant(acl.signing, CLUSTER(), rooted)).toThrow(RangeError);
    expect(problemOf(signed(acl.signing, 'grant-run', CLUSTER(), encode(partsOf(rooted))), 'run')).toBe('shape');
  });

  it('has exactly twelve parts', () => {
    expect(problemOf(signed(acl.signing, 'grant-job', CLUSTER(), encode([1, 2])))).toBe('shape');
  });
});

/** As an acl-service would sign it that checks nothing. */
function forged(grant: Grant): Signed {
  return signed(acl.signing, 'grant-job', CLUSTER(), encode(partsOf(grant)));
}
