/** Vectors of requests, grants, and the acl role's and minions' other signed objects: bytes and what they say. */
import { signAuditCut, signAuditHead } from '../audit.js';
import { toHex } from '../bytes.js';
import { signData } from '../data.js';
import { encode, type Wire } from '../encoding.js';
import { type Grant, type GrantProblem, signGrant } from '../grant.js';
import { signJoin } from '../join.js';
import { aGrant, aRequest, CLUSTER, identityOf, NOW, seedOf } from '../parties.spec-support.js';
import { MAX_LIFETIME } from '@natrium/model';
import { encodeRequest, type Request, requestDigest } from '../request.js';
import { signRoster } from '../roster.js';
import { type Signed, signed, type SignedWhat } from '../signing.js';
import { signTime } from '../time.js';
import { announcedOf } from './message.vectors.js';
import { hexOf, type SignedHex } from './roles.vectors.js';
import type { Vectors } from './vector-file.js';

export interface RequestCase {
  readonly name: string;
  readonly bytes: string;
  readonly expect: 'read' | 'refused';
  readonly digest?: string;
}

export function requestVectors(): Vectors<RequestCase> {
  const about = 'Whether `bytes` are a request, and its digest.';
  const parts: readonly Wire[] = Object.values(aRequest());
  const read = (name: string, change: Partial<Request> = {}): RequestCase => {
    const bytes = encodeRequest({ ...aRequest(), ...change });
    return { name, bytes: toHex(bytes), expect: 'read', digest: toHex(requestDigest(bytes)) };
  };
  const no = (name: string, wire: Wire): RequestCase => ({ name, bytes: toHex(encode(wire)), expect: 'refused' });
  const cases = [
    read('a job with two functions'),
    read('a list of ids', { tgt: ['web1', 'web2'], tgtType: 'list' }),
    read('no function, where none is asked for', { what: 'jobs', funs: [], args: [] }),
    read('a life of 24 hours', { lifetime: MAX_LIFETIME }),
    no('a part too many', [...parts, null]),
    no('a part too few', parts.slice(0, -1)),
    no('a short id', parts.with(0, new Uint8Array(15))),
    no('an unknown what', parts.with(1, 'destroy')),
    no('an empty function', parts.with(2, ['test.ping', ''])),
    no('a function of 257 characters', parts.with(2, ['test.ping', 'f'.repeat(257)])),
    no('65 functions', parts.with(2, Array<Wire>(65).fill('f')).with(3, Array<Wire>(65).fill([]))),
    no('no function in a job', parts.with(2, []).with(3, [])),
    no('a list of arguments too few', parts.with(3, [[]])),
    no('arguments that are a map', parts.with(3, [[], {}])),
    no('a target that is a number', parts.with(4, 1)),
    no('options that are a list', parts.with(9, [])),
    no('a timeout of half a second', parts.with(8, 0.5)),
    no('a life beyond 24 hours', parts.with(11, MAX_LIFETIME + 1)),
    no('no life', parts.with(11, 0)),
  ];
  return { about, cases };
}

export interface GrantCase extends SignedHex {
  readonly name: string;
  readonly kind: 'job' | 'run';
  readonly now: number;
  readonly expect: 'read' | GrantProblem;
}

export function grantVectors(): Vectors<GrantCase> {
  const about =
    'A grant read as `kind` at `now`, skew 30,000 ms, in the cluster and under the acl keys of objects.json: read, or the first reason to refuse.';
  const acl = identityOf('acl role').signing;
  const job = signGrant(acl, CLUSTER(), aGrant());
  const run = signGrant(acl, CLUSTER(), {
    ...aGrant(),
    kind: 'run',
    root: new Uint8Array(32),
    count: 0,
    expires: NOW + 3_600_000,
  });
  const make = (
    name: string,
    expect: GrantCase['expect'],
    object: Signed,
    kind: GrantCase['kind'] = 'job',
    now = NOW,
  ): GrantCase => ({
    name,
    kind,
    now,
    expect,
    ...hexOf(object),
  });
  const forged = (what: SignedWhat, change: Partial<Grant>): Signed =>
    signed(acl, what, CLUSTER(), wireOf({ ...aGrant(), ...change }));
  const cases = [
    make('a grant-job', 'read', job),
    make('a grant-run', 'read', run, 'run'),
    make('at its end', 'read', job, 'job', NOW + 60_000),
    make('a grant-run where a grant-job belongs', 'signature', run),
    make('a grant-job where a grant-run belongs', 'signature', job, 'run'),
    make('of another key', 'signature', signGrant(identityOf('web1').signing, CLUSTER(), aGrant())),
    make('expired', 'expired', job, 'job', NOW + 60_001),
    make('from the future', 'future', job, 'job', NOW - 30_001),
    make('a grant-job that lives longer than a minute', 'shape', forged('grant-job', { expires: NOW + 60_001 })),
    make('a grant-job for nobody', 'shape', forged('grant-job', { count: 0 })),
    make('a grant-run for minions', 'shape', forged('grant-run', { count: 1 }), 'run'),
    make('a jid that is none', 'shape', forged('grant-job', { jid: 'x' })),
    make('an end before its beginning', 'shape', forged('grant-job', { expires: NOW })),
  ];
  return { about, cases };
}

function wireOf({ caller, onBehalfOf, kind: _kind, id, requestDigest: digest, ...rest }: Grant): Uint8Array {
  return encode([
    id,
    digest,
    [caller.kind, caller.name],
    onBehalfOf.map(({ kind, name }) => [kind, name]),
    ...Object.values(rest),
  ]);
}

export interface ObjectCase extends SignedHex {
  readonly name: string;
  readonly what: SignedWhat;
  readonly signer: string;
}

export interface ObjectVectors extends Vectors<ObjectCase> {
  readonly cluster: string;
  readonly aclKeys: readonly string[];
}

export function objectVectors(): ObjectVectors {
  const about =
    'One good object of each other kind, with the public key that signed it: roster record, time over a nonce, data, join, audit head, audit cut.';
  const [acl, web1] = [identityOf('acl role'), identityOf('sender')];
  const keys = { identity: web1.publicKey, nkey: web1.nkeyPublic };
  const make = (what: SignedWhat, by: typeof acl, object: Signed): ObjectCase => ({
    name: what,
    what,
    signer: toHex(by.publicKey),
    ...hexOf(object),
  });
  const join = { id: 'web1', ...keys, announcement: announcedOf('sender'), issued: NOW, nonce: seedOf('nonce') };
  const cases = [
    make(
      'roster',
      acl,
      signRoster(acl.signing, CLUSTER(), { kind: 'minion', name: 'web1', ...keys, state: 'accepted', revision: 5 }),
    ),
    make('time', acl, signTime(acl.signing, CLUSTER(), seedOf('nonce'), NOW)),
    make('data', web1, signData(web1.signing, CLUSTER(), { number: 7, grains: { os: 'Debian', roles: ['web'] } })),
    make('join', web1, signJoin(web1.signing, CLUSTER(), join)),
    make(
      'audit',
      acl,
      signAuditHead(acl.signing, CLUSTER(), { chain: 'acl-1', number: 9, hash: seedOf('head'), time: NOW }),
    ),
    make(
      'audit-cut',
      acl,
      signAuditCut(acl.signing, CLUSTER(), { time: NOW, ends: [{ chain: 'acl-1', number: 9, hash: seedOf('head') }] }),
    ),
  ];
  const aclKeys = [identityOf('new acl role'), acl].map(({ publicKey }) => toHex(publicKey));
  return { about, cluster: toHex(CLUSTER()), aclKeys, cases };
}
