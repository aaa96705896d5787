/** What hostile or careless bytes come to: envelopes, message bodies, configuration files, access lists, the call socket. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnParty, Roles, Sealer, Clock, Directory, readChain } from '@natrium/bus';
import { compilePolicy, decide } from '@natrium/acl';
import { loadMasterConfig, loadMinionConfig } from '@natrium/config';
import {
  clusterOf,
  decode,
  encode,
  EncodingError,
  identityFrom,
  newIdentitySecret,
  randomBytes,
  readReceipt,
  readStaleKey,
  SigningKey,
  type Wire,
} from '@natrium/envelope';
import type { Value } from '@natrium/model';
import { type Contract, contracts, readAs } from '@natrium/wire';
import fc from 'fast-check';
import * as z from 'zod/mini';
import type { Execution } from '../../apps/minion-agent/src/execution/execution.js';
import { listenForCalls } from '../../apps/minion-agent/src/jobs/call-socket.js';
import type { Target } from './fuzzing.js';

export interface Fuzzed {
  readonly targets: readonly Target[];
  close(): Promise<void>;
}

const key = fc.string({ maxLength: 12 }).filter((text) => text !== '__proto__');
const wires = fc.letrec<{ wire: Wire }>((tie) => ({
  wire: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ maxLength: 60 }),
    fc.uint8Array({ maxLength: 64 }),
    fc.array(tie('wire'), { maxLength: 8 }),
    fc.dictionary(key, tie('wire'), { maxKeys: 6, noNullPrototype: true }),
  ),
})).wire;

/** Words that lists of this kind are made of, so that inputs go deeper than the first check. */
const WORDS = [
  '.*', '*', 'web*', 'test\\..*', 'cmd.run', '@runner', '@wheel', '@jobs', 'args', 'kwargs', 'G@os:Debian and not web*',
  '(a+)+$', 'E@(.*)*', 'N@group', '$user', 'saltuser%', 'any', 'publisher_acl', 'peer', 'users', 'modules', 'file', 'pam',
] as const; // prettier-ignore
const values = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...WORDS),
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ maxLength: 20 }),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...WORDS), key), tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;

const SECTIONS = [
  'peer', 'peer_run', 'publisher_acl', 'publisher_acl_blacklist', 'external_auth', 'nodegroups', 'runner_grants',
  'reactor_grants', 'sudo_acl', 'client_acl_verify', 'permissive_acl', 'user',
] as const; // prettier-ignore
const SETTINGS = [
  ...SECTIONS,
  'nats',
  'log_level',
  'id',
  'master',
  'include',
  'epoch_hours',
  'keep_jobs',
  'default_include',
];
const settings = fc.dictionary(fc.constantFrom(...SETTINGS), values, { maxKeys: 6, noNullPrototype: true });
const asText = (value: object): Uint8Array => Buffer.from(JSON.stringify(value, null, 1));

export async function fuzzed(): Promise<Fuzzed> {
  const folder = mkdtempSync(join(tmpdir(), 'nt-fuzz-'));
  const socket = await callSocket(join(folder, 'call.sock'));
  const targets = [envelopes(), bodies(), configs(folder), accessLists(), socket.target];
  return {
    targets,
    close: async () => {
      await socket.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whole messages as a receiver opens them, and what comes unsealed: `stale_key`, receipts and the roles document. */
function envelopes(): Target {
  const root = SigningKey.generate();
  const gateway = SigningKey.generate();
  const identity = identityFrom(newIdentitySecret());
  const cluster = clusterOf(root.publicKey);
  const now = 1_795_000_000_000;
  const keys = { gateway: [gateway.publicKey], acl: [], runner: [], reactor: [], sink: [] };
  const document = { serial: 1, notAfter: now * 2, roles: keys, nextRoot: null };
  const roles = new Roles(cluster, document, [root.publicKey, []]);
  const clock = new Clock(30_000, () => now);
  const life = { epochMs: 3_600_000, overlapMs: 0, announcementMs: 3_600_000 };
  const party = (owner: OwnParty['owner'], signing: SigningKey, use: 'jobs' | 'service') => {
    const own = new OwnParty({ owner, signing, cluster, use, rolesSerial: 1 }, life);
    own.rotate(now);
    return new Sealer(own, new Directory(() => now), roles, clock);
  };
  const minion = party({ type: 'identity', key: identity.publicKey }, identity.signing, 'jobs');
  const sender = party({ type: 'role', role: 'gateway', instance: 'a', key: gateway.publicKey }, gateway, 'service');
  const known = roles.read(minion.own.announced, now, 30_000);
  if (!known.ok) throw new Error(known.error);
  const opening = {
    subject: `nt.main.job.${minion.own.fp}`,
    contracts: new Map([[contracts.job.kind, contracts.job]]),
    expects: (re: Uint8Array | null) => re === null,
  };
  const inputs = fc.uint8Array({ maxLength: 900 }).map((request) => {
    const grant = { bytes: request.slice(0, 200), signature: new Uint8Array(64) };
    const framing = { messageId: randomBytes(16), re: null, introduce: true };
    return sender.seal(contracts.job, { request, grant, instance: 'a' }, [known.value], framing, request.slice(0, 40));
  });
  return {
    name: 'envelopes',
    inputs,
    attempt: (input) => {
      minion.open(input, opening);
      readStaleKey(input);
      readReceipt(input);
      readChain(input);
    },
  };
}

const KINDS: readonly Contract[] = contracts.contracts;

/** The encoding, and every kind's schema on what it gives. */
function bodies(): Target {
  return {
    name: 'message bodies',
    inputs: wires.map((wire) => encode(wire)),
    attempt: (input) => {
      const wire = orRefused(() => decode(input), EncodingError);
      if (wire === undefined) return;
      for (const contract of KINDS) orRefused(() => readAs(contract.schema, wire), z.core.$ZodError);
    },
  };
}

function configs(folder: string): Target {
  return {
    name: 'configuration files',
    inputs: settings.map(asText),
    attempt: (input) => {
      for (const name of ['master', 'minion']) writeFileSync(join(folder, name), input);
      loadMasterConfig(folder);
      loadMinionConfig(folder, { hostname: 'host', hosts: '' });
    },
  };
}

/** A list never throws, and whoever asks under it gets an answer. */
function accessLists(): Target {
  const fleet = {
    accepted: new Set(['web1', 'db1']),
    dataOf: () => ({ grains: { os: 'Debian' }, pillar: {} }),
    revision: 1,
  };
  const asks = [
    { principal: { kind: 'minion', name: 'web1' }, what: 'job', target: { tgt: '*', tgtType: 'glob' } },
    {
      principal: { kind: 'minion', name: 'a'.repeat(60) },
      what: 'job',
      target: { tgt: 'N@group', tgtType: 'compound' },
    },
    { principal: { kind: 'minion', name: 'web1' }, what: 'run' },
    { principal: { kind: 'external', name: 'user' }, what: 'wheel', login: { backend: 'file', groups: ['g'] } },
  ] as const;
  return {
    name: 'access lists',
    inputs: fc.dictionary(fc.constantFrom(...SECTIONS), values, { maxKeys: 6, noNullPrototype: true }).map(asText),
    attempt: (input) => {
      const config = orRefused(() => JSON.parse(Buffer.from(input).toString()) as unknown, SyntaxError);
      if (typeof config !== 'object' || config === null || Array.isArray(config)) return;
      const { policy } = compilePolicy(config);
      for (const ask of asks) decide(policy, { ...ask, funs: ['cmd.run'], args: [['x', { a: 1 }]] }, fleet);
    },
  };
}

/** Lines to the agent's socket: each is answered, or the connection is closed, and the next one is served. */
async function callSocket(path: string): Promise<{ readonly target: Target; close(): Promise<void> }> {
  const execution: Pick<Execution, 'call'> = {
    call: (fun) => Promise.resolve({ ret: fun, retcode: 0, success: true, notes: [] }),
  };
  const server = await listenForCalls(path, execution as Execution);
  const lines = fc.record({ fun: fc.oneof(fc.constant('test.ping'), values), args: values }).map(asText);
  const target = {
    name: 'the call socket',
    inputs: lines.map((line) => Buffer.from(Buffer.from(line).toString().replaceAll('\n', ' '))),
    attempt: (input: Uint8Array) =>
      new Promise<void>((resolve, reject) => {
        const socket = connect(path, () => {
          // With no line in it there is no answer: the end of what was sent is the end.
          socket.end(Buffer.concat([input, Buffer.from('\n')]));
        });
        socket.setTimeout(5000, () => {
          reject(new Error('neither an answer nor an end'));
          socket.destroy();
        });
        socket.on('error', () => socket.destroy()).on('data', () => undefined).on('close', () => { resolve(); }); // prettier-ignore
      }),
  };
  return {
    target,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** undefined where it was refused in the one way in which it may be. */
function orRefused<T>(attempt: () => T, refusal: abstract new (...args: never[]) => Error): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof refusal) return undefined;
    throw error;
  }
}
