/** One peer publish to three minions as data: the request, its grant, the messages, each built by the product's own code. */
import { compilePolicy, type Ask, type Policy } from '@natrium/acl';
import {
  encode,
  type Grant,
  leafOf,
  MerkleTree,
  randomBytes,
  requestDigest,
  signGrant,
  signRequest,
} from '@natrium/envelope';
import type { Inventory } from '@natrium/matchers';
import { aRequest } from '@natrium/testing';
import { type Body, type contracts, type records } from '@natrium/wire';
import type { Parties } from './parties.js';

const IDS = ['a', 'b', 'c'] as const;
const JID = '20261120141708951000';
const MINUTE_MS = 60_000;

export function treeOf({ minions }: Parties): MerkleTree {
  return MerkleTree.of(minions.map(({ identity }, at) => leafOf(identity.publicKey, IDS[at] ?? '')));
}

export function grantOf(request: Uint8Array, tree: MerkleTree, now: number): Grant {
  return {
    kind: 'job',
    id: randomBytes(16),
    requestDigest: requestDigest(request),
    caller: { kind: 'minion', name: 'a' },
    onBehalfOf: [],
    jid: JID,
    root: tree.root,
    count: tree.count,
    issued: now,
    expires: now + MINUTE_MS,
    policyRevision: new Uint8Array(32),
    auditChain: 'bench',
    auditNumber: 1,
  };
}

export interface Samples {
  readonly request: { readonly bytes: Uint8Array; readonly signature: Uint8Array };
  readonly tree: MerkleTree;
  readonly grant: { readonly bytes: Uint8Array; readonly signature: Uint8Array };
  /** Place of minion `a` in the grant's tree, as bytes. */
  readonly place: Uint8Array;
  readonly publish: Body<typeof contracts.publish>;
  readonly job: Body<typeof contracts.job>;
  readonly returned: Body<typeof contracts.returned>;
  readonly news: Body<typeof contracts.news>;
  readonly asked: records.AskedJob;
}

export function samplesOf(parties: Parties): Samples {
  const { roles, clock, acl, minions } = parties;
  const [caller] = minions;
  if (caller === undefined) throw new RangeError('a publish needs a minion that asks');
  const now = clock.now();
  const request = signRequest(caller.identity.signing, roles.cluster, aRequest(now));
  const tree = treeOf(parties);
  const grant = signGrant(acl.identity.signing, roles.cluster, grantOf(request.bytes, tree, now));
  const index = tree.indexOf(leafOf(caller.identity.publicKey, IDS[0]));
  return {
    request,
    tree,
    grant,
    place: encode([index, [...tree.proof(index)]]),
    publish: {
      request: request.bytes,
      signature: request.signature,
      credential: null,
      grantRun: null,
      follow: 'all',
      batch: null,
    },
    job: { request: request.bytes, grant, instance: 'gateway1' },
    returned: {
      jid: JID,
      digest: requestDigest(request.bytes),
      status: 'done',
      code: null,
      outcome: { ret: true, retcode: 0, success: true, out: null },
    },
    news: {
      refusal: null,
      started: null,
      returns: [{ id: 'a', ret: true, retcode: 0, success: true, out: null }],
      end: null,
    },
    asked: {
      request: request.bytes,
      signature: request.signature,
      callerKey: caller.identity.publicKey,
      batch: null,
      jid: JID,
      instance: 'gateway1',
      started: now,
    },
  };
}

export interface Deciding {
  readonly policy: Policy;
  readonly ask: Ask;
  readonly inventory: Inventory;
}

export function deciding(): Deciding {
  const { policy } = compilePolicy({ peer: { '.*': ['.*'] } });
  return {
    policy,
    ask: {
      principal: { kind: 'minion', name: 'a' },
      what: 'job',
      funs: ['test.ping'],
      args: [[]],
      target: { tgt: '*', tgtType: 'glob' },
    },
    inventory: { accepted: new Set(IDS), revision: 1, dataOf: () => undefined },
  };
}
