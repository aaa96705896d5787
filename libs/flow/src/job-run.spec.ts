/** Rules of running a job: every check in its order with its code, and whatever refuses executes nothing. */
import type { Admission } from '@natrium/jobs';
import { err, ok, parseJid, type Request, type Result } from '@natrium/model';
import { aRequest, NOW } from './a-request.spec-support.js';
import {
  type CheckedGrant,
  type GrantRefusal,
  type JobOrder,
  JobRun,
  type MinionReturn,
  type Outcome,
  type RunPorts,
} from './job-run.js';

const JID = parseJid('20261120141646000001')!;
const NO_JID = '00000000000000000000';
const SKEW = 30_000;

const REQUEST = aRequest();

const GRANT: CheckedGrant = {
  requestDigest: 'digest',
  caller: { kind: 'minion', name: 'web1' },
  onBehalfOf: [],
  jid: JID,
  expires: NOW + 60_000,
  issued: NOW,
  root: new Uint8Array(32),
  count: 1,
};

const ORDER: JobOrder = {
  request: Uint8Array.of(7),
  grant: { bytes: Uint8Array.of(1), signature: new Uint8Array(64) },
  place: { index: 0, proof: [] },
  instance: 'gw1',
  fromGateway: true,
};

const DONE: Outcome = { ret: true, retcode: 0, success: true, out: null };

/** A minion on which everything is right, but for what a test changes. */
class Minion {
  readonly steps: string[] = [];
  readonly delivered: MinionReturn[] = [];
  /** Of how many minions each of these is one. */
  readonly ofSoMany: number[] = [];
  grant: Result<CheckedGrant, GrantRefusal> = ok(GRANT);
  digest = 'digest';
  under = true;
  request: Result<Request, string> = ok(REQUEST);
  admission: Admission = 'run';
  stopping = false;
  writable = true;
  spooled: MinionReturn | undefined;
  result: () => Promise<Outcome> = () => Promise.resolve(DONE);
  readonly executed: [Request, CheckedGrant][] = [];

  readonly ports: RunPorts = {
    readGrant: () => this.#step('grant', this.grant),
    digestOf: () => this.#step('digest', this.digest),
    isUnder: () => this.#step('leaf', this.under),
    readRequest: () => this.#step('request', this.request),
    admit: () => this.#step('admit', this.admission),
    isStopping: () => this.stopping,
    recordStart: () => this.#step('record', this.writable),
    recordFinish: () => this.#step('finish', undefined),
    execute: (request, grant) => {
      this.executed.push([request, grant]);
      return this.#step('execute', this.result());
    },
    deliver: (ret, asked) => {
      this.ofSoMany.push(asked);
      this.delivered.push(this.#step('deliver', ret));
    },
    spooled: () => this.spooled,
    now: () => NOW,
    skewMs: SKEW,
  };

  async get(change: Partial<JobOrder> = {}): Promise<void> {
    await new JobRun(this.ports).handle({ ...ORDER, ...change });
  }

  #step<T>(name: string, value: T): T {
    this.steps.push(name);
    return value;
  }
}

/** Each check: what is wrong, its code, and how far the minion got. */
const CHECKS: readonly (readonly [string, (minion: Minion) => void, string, readonly string[]])[] = [
  ['a grant that the acl-service did not sign', (minion) => (minion.grant = err({ code: 'grant_signature' })), 'grant_signature', ['grant']],
  ['a grant for a runner', (minion) => (minion.grant = err({ code: 'grant_kind' })), 'grant_kind', ['grant']],
  ['a grant that has expired', (minion) => (minion.grant = err({ code: 'grant_expired', grant: GRANT })), 'grant_expired', ['grant']],
  ['another request than the granted one', (minion) => (minion.digest = 'other'), 'grant_digest', ['grant', 'digest']],
  ['a grant for other minions', (minion) => (minion.under = false), 'grant_not_for_me', ['grant', 'digest', 'leaf']],
  ['what is not a request', (minion) => (minion.request = err('shape')), 'bad_request', ['grant', 'digest', 'leaf', 'request']],
  [
    'a request for a runner',
    (minion) => (minion.request = ok({ ...REQUEST, what: 'run' })),
    'bad_request',
    ['grant', 'digest', 'leaf', 'request'],
  ],
  [
    'a request from beyond the skew',
    (minion) => (minion.request = ok({ ...REQUEST, issued: NOW + SKEW + 1 })),
    'request_from_future',
    ['grant', 'digest', 'leaf', 'request', 'admit'],
  ],
  [
    'a request that has ended',
    (minion) => (minion.request = ok({ ...REQUEST, issued: NOW - 65_001 })),
    'request_expired',
    ['grant', 'digest', 'leaf', 'request', 'admit'],
  ],
  [
    'anything that a record in doubt may lack',
    (minion) => (minion.admission = 'record_incomplete'),
    'record_incomplete',
    ['grant', 'digest', 'leaf', 'request', 'admit'],
  ],
  [
    'everything new when it only finishes what runs',
    (minion) => (minion.stopping = true),
    'agent_stopping',
    ['grant', 'digest', 'leaf', 'request', 'admit'],
  ],
  [
    'everything when the record cannot be written',
    (minion) => (minion.writable = false),
    'record_unwritable',
    ['grant', 'digest', 'leaf', 'request', 'admit', 'record'],
  ],
]; // prettier-ignore

describe('a job at a minion', () => {
  it('is checked, recorded, run, spooled and finished, in this order', async () => {
    const minion = new Minion();
    await minion.get();
    expect(minion.steps).toEqual([
      'grant',
      'digest',
      'leaf',
      'request',
      'admit',
      'record',
      'execute',
      'deliver',
      'finish',
    ]);
    expect(minion.delivered).toEqual([
      { jid: JID, digest: 'digest', instance: 'gw1', status: 'done', code: null, outcome: DONE },
    ]);
  });

  it('is delivered as one of as many as were granted, so that its return can wait for its turn', async () => {
    const minion = new Minion();
    minion.grant = ok({ ...GRANT, count: 10_000 });
    await minion.get();
    minion.admission = 'interrupted';
    await minion.get();
    expect(minion.ofSoMany).toEqual([10_000, 10_000]);
  });

  it('runs with the request’s words and the grant’s caller and jid, and nothing from anywhere else', async () => {
    const minion = new Minion();
    await minion.get();
    expect(minion.executed).toEqual([[REQUEST, GRANT]]);
  });

  it('from anybody but the gateway is not even looked at, and nobody hears of it', async () => {
    const minion = new Minion();
    await minion.get({ fromGateway: false });
    expect(minion.steps).toEqual([]);
    expect(minion.delivered).toEqual([]);
  });

  it.each(CHECKS)('refuses %s, and executes nothing', async (_about, breakIt, code, steps) => {
    const minion = new Minion();
    breakIt(minion);
    await minion.get();
    expect(minion.executed).toEqual([]);
    expect(minion.steps.filter((step) => step !== 'deliver').slice(0, steps.length)).toEqual(steps);
    expect(minion.steps).not.toContain(steps.includes('record') ? 'finish' : 'record');
    expect(minion.delivered.map((ret) => [ret.status, ret.code])).toEqual([['refused', code]]);
  });

  it('trusts nothing in a grant that it refused: the refusal names no job of it', async () => {
    const minion = new Minion();
    minion.grant = err({ code: 'grant_signature' });
    await minion.get();
    expect(minion.delivered[0]).toMatchObject({ jid: NO_JID, digest: 'digest' });
  });

  it('accepts a request at the edge of the skew and at its very end', async () => {
    for (const issued of [NOW + SKEW, NOW - 65_000]) {
      const minion = new Minion();
      minion.request = ok({ ...REQUEST, issued });
      await minion.get();
      expect(minion.executed).toHaveLength(1);
    }
  });

  it('that is running already runs once: its return will come', async () => {
    const minion = new Minion();
    minion.admission = 'running';
    await minion.get();
    expect([minion.executed, minion.delivered]).toEqual([[], []]);
  });

  it('that is running already returns to the gateway that asked last', async () => {
    const minion = new Minion();
    let finish: (outcome: Outcome) => void = () => undefined;
    minion.result = () => new Promise((resolve) => (finish = resolve));
    const running = new JobRun(minion.ports);
    const first = running.handle(ORDER);
    minion.admission = 'running';
    await running.handle({ ...ORDER, instance: 'gw2' });
    finish(DONE);
    await first;
    expect(minion.delivered.map(({ status, instance }) => [status, instance])).toEqual([['done', 'gw2']]);
  });

  it('that ran before is answered from the spool, to who asks now', async () => {
    const minion = new Minion();
    minion.admission = 'finished';
    minion.spooled = { jid: JID, digest: 'digest', instance: 'gone', status: 'done', code: null, outcome: DONE };
    await minion.get({ instance: 'gw2' });
    expect(minion.executed).toEqual([]);
    expect(minion.delivered).toEqual([{ ...minion.spooled, instance: 'gw2' }]);
  });

  it.each([
    ['finished', 'already_returned', null],
    ['interrupted', 'interrupted', 'interrupted, outcome unknown'],
  ] as const)('that was %s is never run again, and is answered %s', async (admission, status, ret) => {
    const minion = new Minion();
    minion.admission = admission;
    await minion.get();
    expect(minion.executed).toEqual([]);
    expect(minion.delivered.map((one) => [one.status, one.code, one.outcome.ret])).toEqual([[status, null, ret]]);
  });

  const untimely = [
    ['has ended', NOW - 65_001, 'request_expired'],
    ['is from beyond the skew', NOW + SKEW + 1, 'request_from_future'],
  ] as const;

  it.each(untimely)('whose request %s is answered again where it runs or ran, and refused where it would run', async (_about, issued, code) => {
    const known = ['running', 'finished', 'interrupted'] as const;
    const heard: (readonly [Admission, readonly unknown[]])[] = [];
    for (const admission of [...known, 'run', 'record_incomplete'] as const) {
      const minion = new Minion();
      minion.request = ok({ ...REQUEST, issued });
      minion.admission = admission;
      await minion.get();
      expect([minion.executed, minion.steps.includes('record')]).toEqual([[], false]);
      heard.push([admission, minion.delivered.map((ret) => ret.code ?? ret.status)]);
    }
    expect(heard).toEqual([
      ['running', []],
      ['finished', ['already_returned']],
      ['interrupted', ['interrupted']],
      ['run', [code]],
      ['record_incomplete', [code]],
    ]);
  }); // prettier-ignore

  it('that is running returns to the gateway that took it over after its request had ended', async () => {
    const minion = new Minion();
    let finish: (outcome: Outcome) => void = () => undefined;
    minion.result = () => new Promise((resolve) => (finish = resolve));
    const running = new JobRun(minion.ports);
    const first = running.handle(ORDER);
    minion.admission = 'running';
    minion.request = ok({ ...REQUEST, issued: NOW - 65_001 });
    await running.handle({ ...ORDER, instance: 'gw2' });
    finish(DONE);
    await first;
    expect(minion.delivered.map(({ status, instance }) => [status, instance])).toEqual([['done', 'gw2']]);
  });

  it.each(['run', 'record_incomplete'] as const)(
    'that ran is answered from the spool, and never run, though its request has ended and the record says %s',
    async (admission) => {
      const minion = new Minion();
      minion.request = ok({ ...REQUEST, issued: NOW - 65_001 });
      minion.admission = admission;
      minion.spooled = { jid: JID, digest: 'digest', instance: 'gone', status: 'done', code: null, outcome: DONE };
      await minion.get({ instance: 'gw2' });
      expect([minion.executed, minion.delivered]).toEqual([[], [{ ...minion.spooled, instance: 'gw2' }]]);
    },
  );

  it.each([
    [
      'a grant that the acl-service did not sign',
      (minion: Minion) => (minion.grant = err({ code: 'grant_signature' })),
    ],
    ['a grant that has expired', (minion: Minion) => (minion.grant = err({ code: 'grant_expired', grant: GRANT }))],
    ['another request than the granted one', (minion: Minion) => (minion.digest = 'other')],
    ['a grant for other minions', (minion: Minion) => (minion.under = false)],
  ])('that ran is told to nobody who comes with %s', async (_about, breakIt) => {
    const minion = new Minion();
    minion.admission = 'finished';
    minion.spooled = { jid: JID, digest: 'digest', instance: 'gone', status: 'done', code: null, outcome: DONE };
    breakIt(minion);
    await minion.get();
    expect(minion.delivered.map(({ status }) => status)).toEqual(['refused']);
    expect(minion.steps).not.toContain('admit');
  });

  it('whose execution itself fails is returned as failed, with why, and finished', async () => {
    const minion = new Minion();
    minion.result = () => Promise.reject(new Error('out of memory'));
    await minion.get();
    expect(minion.delivered.map(({ status, outcome }) => [status, outcome])).toEqual([
      ['done', { ret: 'the function could not be run: out of memory', retcode: 1, success: false, out: null }],
    ]);
    expect(minion.steps.at(-1)).toBe('finish');
  });
});
