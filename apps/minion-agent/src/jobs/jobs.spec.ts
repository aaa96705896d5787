/** Rules of the question who is at work: a return that is not stored yet is work still, for a while. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_TRACING } from '@natrium/bus';
import {
  encode,
  identityFrom,
  leafOf,
  newIdentitySecret,
  requestDigest,
  sodiumReady,
  type Wire,
} from '@natrium/envelope';
import type { MinionReturn } from '@natrium/flow';
import { type Jid, ok, parseJid } from '@natrium/model';
import { contracts } from '@natrium/wire';
import { type JobParts, listenForJobs } from './jobs.js';
import { Spool } from '../disk/spool.js';

const [A, B, C] = ['1', '2', '3'].map((last) => parseJid(`2026112014164600000${last}`)!) as [Jid, Jid, Jid];
const DIGEST = '1'.padStart(64, '0');
const A_MINUTE = 60_000;

let folder: string;
beforeAll(sodiumReady);
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'nt-jobs-'))));
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A minion that is asked for its jobs, and runs those that a test names. */
function aMinion() {
  const world = { nowMs: 0, running: [] as Jid[] };
  const spool = new Spool({
    folder, keepMs: 24 * 60 * A_MINUTE, maxBytes: 1 << 20, now: () => 0, uptime: () => world.nowMs,
    onProblem: () => undefined, onDropped: () => undefined,
  }); // prettier-ignore
  let serve: (opened: unknown) => void = () => undefined;
  const link = {
    own: { fp: 'fp' },
    identity: identityFrom(newIdentitySecret()),
    clock: { skewMs: 0 },
    subjects: { job: () => 'job' },
    bus: {
      serve: (_subject: string, _queue: unknown, _contracts: unknown, handler: typeof serve) => (serve = handler),
    },
  };
  // Of the parts only those are there that the question is answered from.
  listenForJobs({ id: 'web1', link, spool, execution: { running: () => world.running } } as unknown as JobParts);
  const asked = (...jids: Jid[]): unknown => {
    let answer: unknown;
    const hear = (_contract: unknown, { running }: { readonly running: unknown }) => (answer = running);
    serve({ kind: contracts.presence.kind, body: { jids }, answer: hear });
    return answer;
  };
  const returns = (jid: Jid) => {
    const outcome = { ret: true, retcode: 0, success: true, out: null };
    spool.put({ jid, digest: DIGEST, instance: 'gw1', status: 'done', code: null, outcome });
  };
  return { world, spool, asked, returns };
}

it('a minion is at work on those jobs that it is asked for and runs, and on no other', () => {
  const { world, asked } = aMinion();
  world.running = [A, C];
  expect(asked(A, B)).toEqual([A]);
});

it('a job whose return no gateway has stored is worked on still; once it is stored it is not', () => {
  const { spool, asked, returns } = aMinion();
  returns(A);
  expect(asked(A, B)).toEqual([A]);
  spool.drop(DIGEST);
  expect(asked(A, B)).toEqual([]);
});

it('a return that nobody takes holds its job for a minute and no longer, though its request comes again', () => {
  const { world, asked, returns } = aMinion();
  returns(A);
  world.nowMs = A_MINUTE - 1;
  returns(A);
  expect(asked(A)).toEqual([A]);
  world.nowMs = A_MINUTE;
  expect(asked(A)).toEqual([]);
});

it('asked about no job, a minion tells of what runs alone', () => {
  const { world, asked, returns } = aMinion();
  returns(A);
  world.running = [B];
  expect(asked()).toEqual([B]);
});

/** What a minion refuses a job for that was granted to it alone, when this is the private part of its message. */
async function refusalOf(place: Wire): Promise<string | null | undefined> {
  const { publicKey } = identityFrom(newIdentitySecret());
  const request = Uint8Array.of(0);
  const grant = {
    requestDigest: requestDigest(request), caller: { kind: 'account', name: 'root' }, onBehalfOf: [], jid: A,
    issued: 0, expires: 1, root: leafOf(publicKey, 'web1'), count: 1,
  }; // prettier-ignore
  const told: MinionReturn[] = [];
  let serve: (opened: unknown) => Promise<void> = () => Promise.resolve();
  const link = {
    own: { fp: 'fp' },
    identity: { publicKey },
    roles: { keysOf: () => [] },
    clock: { skewMs: 0, now: () => 0, raiseFloor: () => undefined },
    subjects: { job: () => 'job' },
    bus: {
      tracing: NO_TRACING,
      serve: (_subject: string, _queue: unknown, _contracts: unknown, handler: typeof serve) => (serve = handler),
    },
  };
  const parts = {
    id: 'web1', link, standing: { accepted: true }, finishing: { during: (work: () => unknown) => work() },
    outbox: { deliver: (ret: MinionReturn) => told.push(ret) }, verifyGrant: () => ok(grant),
  }; // prettier-ignore
  listenForJobs(parts as unknown as JobParts);
  const party = { owner: { type: 'role', role: 'gateway' } };
  await serve({ kind: contracts.job.kind, body: { request, grant, instance: 'gw1' }, party, private: encode(place) });
  return told[0]?.code;
}

it('a place that is not an index and hashes is a place in no tree', async () => {
  expect(await refusalOf([0, []])).toBe('bad_request'); // its place is good: of the request there is nothing to read
  for (const place of [[0, ['no hash']], [0, null], [0], ['0', []], 0] as const)
    expect(await refusalOf(place)).toBe('grant_not_for_me');
});
