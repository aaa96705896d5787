/** Parties of tests: each with identity, keyring and announcement, in one cluster, at one time; what they ask and are granted. */
import { MAX_VALUES } from '@natrium/model';

import { announce, type KnownParty, type Owner, readAnnouncement } from './announcement.js';
import { utf8 } from './bytes.js';
import type { Wire } from './encoding.js';
import { EpochKeyring, PairKeys } from './epoch.js';
import type { Grant } from './grant.js';
import { clusterOf, type Identity, identityFrom } from './keys.js';
import type { Wrap } from './message-body.js';
import type { OpenContext } from './open.js';
import type { Request } from './request.js';
import { type MessageHead, type Recipient, sealMessage } from './seal.js';
import { SeenSets } from './seen-sets.js';
import type { Signed } from './signing.js';
import { blake2b } from './sodium.js';

export const NOW = 1_795_000_000_000;
export const SKEW = 30_000;
export const HOUR = 3_600_000;

/** 32 bytes that are the same in each run, and others for each name. */
export function seedOf(name: string): Uint8Array {
  return blake2b(32, null, utf8(`natrium vectors ${name}`));
}

export function identityOf(name: string): Identity {
  return identityFrom(seedOf(name));
}

export const rootOf = (name: string): Identity['signing'] => identityOf(`root ${name}`).signing;

export const CLUSTER = (): Uint8Array => clusterOf(rootOf('first').publicKey);

export const aRequest = (): Request => ({
  id: seedOf('request').slice(0, 16),
  what: 'job',
  funs: ['test.ping', 'cmd.run'],
  args: [[], ['uptime', { __kwarg__: true, cwd: '/' }]],
  tgt: 'web*',
  tgtType: 'glob',
  returner: '',
  returnerOptions: {},
  timeout: 5,
  options: { delimiter: ':' },
  issued: NOW,
  lifetime: 65_000,
});

export const aGrant = (): Grant => ({
  kind: 'job',
  id: seedOf('grant').slice(0, 16),
  requestDigest: seedOf('digest'),
  caller: { kind: 'minion', name: 'web1' },
  onBehalfOf: [{ kind: 'account', name: 'root' }],
  jid: '20261120112404639750',
  root: seedOf('merkle'),
  count: 3,
  issued: NOW,
  expires: NOW + 60_000,
  policyRevision: seedOf('policy'),
  auditChain: 'acl-1',
  auditNumber: 12,
});

export interface Party {
  readonly identity: Identity;
  readonly owner: Owner;
  readonly keyring: EpochKeyring;
  readonly pairs: PairKeys;
  announced(): Signed;
  known(): KnownParty;
  recipient(privatePart?: Uint8Array): Recipient;
}

export function aMinion(name: string): Party {
  const identity = identityOf(name);
  return aParty(identity, { type: 'identity', key: identity.publicKey }, 'jobs');
}

export function aGateway(instance: string): Party {
  const identity = identityOf('gateway role');
  return aParty(identity, { type: 'role', role: 'gateway', instance, key: identity.publicKey }, 'service');
}

function aParty(identity: Identity, owner: Owner, use: 'jobs' | 'service'): Party {
  const keyring = new EpochKeyring(identity.publicKey);
  keyring.rotate(NOW, 24 * HOUR, HOUR);
  const announced = (): Signed => {
    const { publicKey: epochKey, notBefore, notAfter } = keyring.current;
    return announce(identity.signing, CLUSTER(), { owner, use, epochKey, notBefore, notAfter, rolesSerial: 1 });
  };
  return {
    identity,
    owner,
    keyring,
    pairs: new PairKeys(),
    announced,
    known: () => readKnown(announced()),
    recipient: (privatePart) => ({
      keyId: keyring.currentKeyId,
      epochKey: keyring.current.publicKey,
      ...(privatePart && { private: privatePart }),
    }),
  };
}

function readKnown(announced: Signed): KnownParty {
  const read = readAnnouncement(announced, CLUSTER(), NOW, () => [identityOf('gateway role').publicKey], SKEW);
  if (!read.ok) throw new Error(`the party of a test isn't read: ${read.error}`);
  return read.value;
}

export function aHead(sender: Party, head: Partial<MessageHead> = {}): MessageHead {
  return { kind: 'test', from: sender.keyring.currentKeyId, re: null, issued: NOW, lifetime: 30_000, ...head };
}

export function sealTo(
  recipients: readonly Party[],
  sender: Party,
  plaintext: Uint8Array,
  head: Partial<MessageHead> = {},
): Uint8Array {
  const to = recipients.map((party) => party.recipient());
  return sealMessage(aHead(sender, head), plaintext, sender.keyring, to, sender.pairs);
}

/** What `receiver` needs to open messages of `senders`; it allows everything that isn't changed. */
export function aContext(receiver: Party, senders: readonly Party[], change: Partial<OpenContext> = {}): OpenContext {
  const known = senders.map((sender) => sender.known());
  return {
    maxSize: 1 << 20,
    keyring: receiver.keyring,
    pairs: receiver.pairs,
    partyOf: (keyId) => known.find((party) => Buffer.compare(party.keyId, keyId) === 0),
    readAnnouncement: (signed) =>
      readAnnouncement(signed, CLUSTER(), NOW, () => [identityOf('gateway role').publicKey], SKEW),
    allows: () => true,
    parse: (_kind, plaintext) => plaintext,
    now: NOW,
    skewMs: SKEW,
    maxValues: () => MAX_VALUES,
    maxLifetime: () => 60_000,
    seen: new SeenSets({ perSender: 100, senders: 10 }),
    expects: (re) => re === null,
    ...change,
  };
}

/** The parts of a wrap as an independent writer has them. */
export function wrapToWire({ recipient, nonce, sealed }: Wrap): Wire {
  return [recipient, nonce, sealed];
}
