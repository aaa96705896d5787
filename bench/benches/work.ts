/** The pure work of one peer publish to three minions, piece by piece, in one process and without a broker. */
import { decide, TargetMemo } from '@natrium/acl';
import { readAsked } from '@natrium/bus';
import {
  encode,
  encodeReceipt,
  leafOf,
  randomBytes,
  readGrant,
  sealStored,
  signGrant,
  signRequest,
  sodiumReady,
  verify,
  verifyProof,
  type Wire,
} from '@natrium/envelope';
import { aRequest } from '@natrium/testing';
import { type Contract, contracts, readAs, records, subjectsOf, writeAs } from '@natrium/wire';
import type { Bench } from '../bench.js';
import { type Measured, median } from '../figures.js';
import { type Parties, type Party, partiesWith } from '../parties.js';
import { deciding, grantOf, type Samples, samplesOf, treeOf } from '../work-samples.js';

const ROUNDS = 9;
const CALLS = 200;
const WARM_UP = 400;
const MINIONS = 3;

type Piece = readonly [metric: string, once: () => unknown];

export const work: Bench = {
  name: 'work',
  about: 'pure work of a peer publish in process: sign, verify, grant, seal, open, encode, decide',
  measure: async () => {
    await sodiumReady();
    const parties = partiesWith(MINIONS);
    const [caller] = parties.minions;
    if (caller === undefined) return [];
    const samples = samplesOf(parties);
    const pieces = [...requests(parties, caller, samples), ...grants(parties, caller, samples), ...encodings(samples)];
    return [...pieces.map(timed), ...messages(parties, caller, samples)];
  },
};

function requests({ roles, clock }: Parties, { identity }: Party, { request }: Samples): readonly Piece[] {
  const { policy, ask, inventory } = deciding();
  const memo = new TargetMemo(100);
  return [
    ['sign request', () => signRequest(identity.signing, roles.cluster, aRequest(clock.now()))],
    ['read request', () => readAsked(request.bytes)],
    ['verify request', () => verify('request', roles.cluster, identity.publicKey, request.bytes, request.signature)],
    ['decide', () => decide(policy, ask, inventory, memo)],
    ['decide, target not remembered', () => decide(policy, ask, inventory)],
  ];
}

function grants(parties: Parties, { identity }: Party, { request, grant, tree }: Samples): readonly Piece[] {
  const { roles, clock, acl } = parties;
  const keys = roles.keysOf('acl');
  const leaf = leafOf(identity.publicKey, 'a');
  const index = tree.indexOf(leaf);
  const proof = tree.proof(index);
  return [
    ['sign grant with its tree', () =>
      signGrant(acl.identity.signing, roles.cluster, grantOf(request.bytes, treeOf(parties), clock.now()))], // prettier-ignore
    ['verify grant and proof', () => {
      const read = readGrant(grant, roles.cluster, keys, 'job', clock.now(), clock.skewMs);
      if (!read.ok || !verifyProof(read.value.root, read.value.count, index, leaf, proof)) throw new Error('no grant');
    }], // prettier-ignore
  ];
}

function encodings({ publish, news, asked }: Samples): readonly Piece[] {
  const key = { id: 'bench', key: randomBytes(32) };
  const wire = writeAs(contracts.publish.schema, publish);
  const newsWire = writeAs(contracts.news.schema, news);
  return [
    ['encode publish: schema', () => writeAs(contracts.publish.schema, publish)],
    ['encode publish: bytes', () => encode(wire as Wire)],
    ['decode publish: schema', () => readAs(contracts.publish.schema, wire)],
    ['decode news: schema', () => readAs(contracts.news.schema, newsWire)],
    ['encode and seal the job record', () =>
      sealStored(key, 'jobs/j.0', encode(writeAs(records.AskedJob, asked) as Wire))], // prettier-ignore
  ];
}

/** A message opens once, so each opening needs one of its own, sealed before. */
function messages(parties: Parties, caller: Party, samples: Samples): readonly Measured[] {
  const { gateway, minions } = parties;
  const subjects = subjectsOf('main');
  const framing = () => ({ messageId: randomBytes(16), re: null, introduce: false });
  const ask = () => caller.sealer.seal(contracts.publish, samples.publish, [gateway.known], framing());
  const giveBack = () => caller.sealer.seal(contracts.returned, samples.returned, [gateway.known], framing());
  const openAs = (contract: Contract, subject: string) => {
    const opening = {
      subject,
      contracts: new Map([[contract.kind, contract]]),
      expects: (re: Uint8Array | null) => re === null,
    };
    return (bytes: Uint8Array) => {
      const opened = gateway.sealer.open(bytes, opening);
      if (!opened.ok) throw new Error(`a message did not open: ${opened.error}`);
      return opened.value;
    };
  };
  const openPublish = openAs(contracts.publish, subjects.up(caller.fp, 'publish'));
  const openReturn = openAs(contracts.returned, subjects.up(caller.fp, 'return'));
  return [
    timed(['seal publish, schema included', ask]),
    timedEach('open publish, schema included', ask, openPublish),
    timed(['seal return, schema included', giveBack]),
    timedEach('open return, schema included, and its receipt', giveBack, (bytes) =>
      encodeReceipt(openReturn(bytes).receipt()),
    ),
    timed(['seal job for three minions', () => {
      const parts = gateway.sealer.parts(contracts.job, samples.job, { messageId: randomBytes(16), re: null, introduce: false });
      return minions.map(({ known }) => parts.wrapFor({ ...known, private: samples.place }));
    }]), // prettier-ignore
  ];
}

function timed([metric, once]: Piece): Measured {
  return timedEach(metric, () => undefined, once);
}

/** Microseconds of one call of `once`, each with an argument made before: the median of some rounds of many. */
function timedEach<T>(metric: string, make: () => T, once: (argument: T) => unknown): Measured {
  for (let n = 0; n < WARM_UP; n += 1) once(make());
  const rounds = Array.from({ length: ROUNDS }, () => {
    const made = Array.from({ length: CALLS }, make);
    const began = performance.now();
    for (const argument of made) once(argument);
    return ((performance.now() - began) * 1000) / CALLS;
  });
  return { metric, unit: 'µs', value: median(rounds) };
}
