/** Rules of the decision at the acl-service: the caller is proved from the request, every verdict is on record, a refusal signs nothing. */
import { err, ok, parseJid, type Principal, refusal, type Request, type Result, type Refusal } from '@natrium/model';
import { aRequest, NOW } from './a-request.spec-support.js';
import { type Allowed, type AuditEntry, DecideGrant, type GrantFields, type Proved } from './decide-grant.js';
import type { SignedRequest } from './signed-request.js';

const JID = parseJid('20261120141646000001')!;
const SKEW = 30_000;
const SIGNED = { bytes: Uint8Array.of(1), signature: new Uint8Array(64) };

const keyOf = (id: string) => Uint8Array.from(Buffer.from(id.padEnd(32)));

const CREDENTIAL = { eauth: '', username: '', secret: '', token: 'ab' };

function asks(change: Partial<Request> = {}, ask: Partial<SignedRequest> = {}): SignedRequest {
  const request = aRequest({ tgt: 'web*', ...change });
  return {
    bytes: Uint8Array.of(7),
    signature: new Uint8Array(64),
    credential: null,
    grantRun: null,
    callerKey: keyOf('web1'),
    request,
    digest: 'digest',
    ...ask,
  };
}

class Acl {
  readonly steps: string[] = [];
  readonly audit: AuditEntry[] = [];
  readonly signed: GrantFields[] = [];
  caller: Principal | undefined = { kind: 'minion', name: 'web1' };
  signatureHolds = true;
  /** Ids that the roster no longer accepts. */
  unknown: readonly string[] = [];
  runner: Result<Proved, Refusal> = err(refusal('not_permitted', 'no runner may publish'));
  login: Result<Proved, Refusal> = err(refusal('bad_credential', 'the token has expired'));
  decision: Result<Allowed, Refusal> = ok({ minions: ['web1', 'web2'], missing: ['gone'], rule: 'peer › .* › test.*' });
  readonly decided: Proved[] = [];

  readonly flow = new DecideGrant({
    callerOf: () => this.caller,
    verifies: () => this.signatureHolds,
    proveLogin: () => this.login,
    proveRunner: () => this.runner,
    decide: (proved) => {
      this.decided.push(proved);
      return this.decision;
    },
    membersOf: (ids) => ids.filter((id) => !this.unknown.includes(id)).map((id) => ({ id, key: keyOf(id) })),
    sign: (fields) => {
      this.steps.push('sign');
      this.signed.push(fields);
      return SIGNED;
    },
    audit: (entry) => {
      this.steps.push('audit');
      this.audit.push(entry);
      return { chain: 'acl1', number: 41 + this.audit.length };
    },
    now: () => NOW,
    skewMs: SKEW,
    runnerTimeoutMs: 600_000,
  });

  refusalOf(ask: SignedRequest): string | undefined {
    const answer = this.flow.handle(ask, JID);
    return answer.ok ? undefined : answer.error.code;
  }
}

describe('a grant', () => {
  it('is signed for what was asked, by whom, on whom, for a minute, and names its audit record', () => {
    const acl = new Acl();
    const answer = acl.flow.handle(asks(), JID);
    expect(answer).toEqual(
      ok({
        grant: SIGNED,
        members: ['web1', 'web2'].map((id) => ({ id, key: keyOf(id) })),
        missing: ['gone'],
        rule: 'peer › .* › test.*',
      }),
    );
    expect(acl.signed).toEqual([
      {
        kind: 'job',
        digest: 'digest',
        caller: { kind: 'minion', name: 'web1' },
        onBehalfOf: [],
        jid: JID,
        members: ['web1', 'web2'].map((id) => ({ id, key: keyOf(id) })),
        issued: NOW,
        expires: NOW + 60_000,
        auditChain: 'acl1',
        auditNumber: 42,
      },
    ]);
  });

  it('leaves after its audit record is on its way', () => {
    const acl = new Acl();
    acl.flow.handle(asks(), JID);
    expect(acl.steps).toEqual(['audit', 'sign']);
    expect(acl.audit).toEqual([
      {
        what: 'grant',
        caller: { kind: 'minion', name: 'web1' },
        digest: 'digest',
        jid: JID,
        funs: ['test.ping'],
        target: 'web*',
        tgtType: 'glob',
        form: 'job',
        minions: 2,
        reason: 'peer › .* › test.*',
      },
    ]);
  });

  it('is not signed when nobody matched; that is on record all the same', () => {
    const acl = new Acl();
    acl.decision = ok({ minions: [], missing: ['gone'], rule: 'r' });
    expect(acl.flow.handle(asks(), JID)).toEqual(ok({ grant: null, members: [], missing: ['gone'], rule: 'r' }));
    expect(acl.signed).toEqual([]);
    expect(acl.audit.map(({ what, minions }) => [what, minions])).toEqual([['grant', 0]]);
  });

  it('for a runner names no minions and holds for the runner’s time, or for as long as was asked where that is longer', () => {
    const acl = new Acl();
    acl.flow.handle(asks({ what: 'run', timeout: 5 }), JID);
    acl.flow.handle(asks({ what: 'run', timeout: 900 }), JID);
    expect(acl.signed).toMatchObject([
      { kind: 'run', members: [], expires: NOW + 600_000 },
      { kind: 'run', members: [], expires: NOW + 900_000 },
    ]);
  });

  it('for what a runner asks carries on whose behalf', () => {
    const acl = new Acl();
    const principal = { kind: 'runner', name: 'manage.up' } as const;
    const onBehalfOf = [{ kind: 'minion', name: 'web1' } as const];
    acl.runner = ok({ principal, onBehalfOf });
    acl.flow.handle(asks({}, { grantRun: { request: Uint8Array.of(1), grant: SIGNED } }), JID);
    expect(acl.signed).toMatchObject([{ caller: principal, onBehalfOf }]);
    expect(acl.decided).toEqual([{ principal, onBehalfOf }]);
  });

  it('for a batch is signed for these minions only, with the same request, and decided as the whole of it', () => {
    const acl = new Acl();
    const answer = acl.flow.handle(asks({}, { batch: ['web2'] }), JID);
    expect(answer).toMatchObject({ ok: true, value: { members: [{ id: 'web2' }], missing: [] } });
    expect(acl.signed).toMatchObject([{ digest: 'digest', members: [{ id: 'web2' }] }]);
    expect(acl.audit).toMatchObject([{ what: 'grant', minions: 1, target: 'web*' }]);
  });

  it('for a batch misses who is missing or no longer accepted, of the batch only', () => {
    const acl = new Acl();
    acl.unknown = ['deleted'];
    const answer = acl.flow.handle(asks({}, { batch: ['web1', 'deleted'] }), JID);
    expect(answer).toMatchObject({ ok: true, value: { members: [{ id: 'web1' }], missing: ['deleted'] } });
  });

  it('is refused for a batch in which one minion is not of the request’s target, and nothing is signed', () => {
    const acl = new Acl();
    const outside = err(refusal('not_permitted', 'db1 of the batch is not one that the request means'));
    expect(acl.flow.handle(asks({}, { batch: ['web1', 'db1'] }), JID)).toEqual(outside);
    expect([acl.signed, acl.audit[0]?.what]).toEqual([[], 'refusal']);
  });

  it('is refused for a batch of a request that has expired, or that the policy no longer allows', () => {
    const acl = new Acl();
    expect(acl.refusalOf(asks({ issued: NOW - 65_001 }, { batch: ['web1'] }))).toBe('request_expired');
    acl.decision = err(refusal('not_permitted', 'no'));
    expect(acl.refusalOf(asks({}, { batch: ['web1'] }))).toBe('not_permitted');
    expect(acl.signed).toEqual([]);
  });

  it('keeps a huge target out of the audit’s way: its beginning and its length are on record', () => {
    const acl = new Acl();
    acl.flow.handle(asks({ tgt: Array.from({ length: 10_000 }, (_, n) => `host${n}`), tgtType: 'list' }), JID);
    expect(acl.audit[0]?.target.length).toBeLessThan(1100);
    expect(acl.audit[0]?.target).toMatch(/^host0,host1,.*… \(\d+ characters\)$/);
  });

  it('cuts a huge target so that what is left can be recorded: no half of a character ends it', () => {
    const acl = new Acl();
    acl.flow.handle(asks({ tgt: `a${'\u{1f600}'.repeat(1000)}` }), JID);
    expect(acl.audit[0]?.target.isWellFormed()).toBe(true);
  });

  it('keeps a rule that names many ids out of its way, too', () => {
    const acl = new Acl();
    acl.decision = ok({ minions: ['web1'], missing: [], rule: `peer › .* › L@${'web1,'.repeat(2000)}` });
    acl.flow.handle(asks(), JID);
    expect(acl.audit[0]?.reason.length).toBeLessThan(1100);
    expect(acl.audit[0]?.reason).toMatch(/^peer › .*… \(\d+ characters\)$/);
  });
});

/** Each refusal: what is wrong, its code, and the caller that the audit names. */
const REFUSALS: readonly (readonly [string, (acl: Acl) => SignedRequest, string, string | undefined])[] = [
  ['a request without a signature', () => asks({}, { signature: null }), 'bad_credential', undefined],
  ['a request without a key', () => asks({}, { callerKey: null }), 'bad_credential', undefined],
  ['a signature and a credential at once', () => asks({}, { credential: CREDENTIAL }), 'bad_credential', undefined],
  ['a key that is not accepted', (acl) => ((acl.caller = undefined), asks()), 'unknown_caller', undefined],
  ['a signature of somebody else', (acl) => ((acl.signatureHolds = false), asks()), 'bad_signature', undefined],
  ['a runner without a proof', () => asks({}, { grantRun: { request: Uint8Array.of(1), grant: SIGNED } }), 'not_permitted', undefined],
  ['a request from beyond the skew', () => asks({ issued: NOW + SKEW + 1 }), 'request_from_future', 'web1'],
  ['a request that has ended', () => asks({ issued: NOW - 65_001 }), 'request_expired', 'web1'],
  ['a lifetime beyond the timeout’s', () => asks({ lifetime: 65_001 }), 'bad_request', 'web1'],
  ['a lifetime beyond a day', () => asks({ timeout: 86_400, lifetime: 86_400_001 }), 'bad_request', 'web1'],
  ['a request that is for no gate: key', () => asks({ what: 'key' }), 'bad_request', 'web1'],
  ['a request that is for no gate: token', () => asks({ what: 'token' }), 'bad_request', 'web1'],
  ['what the policy does not permit', (acl) => ((acl.decision = err(refusal('not_permitted', 'no'))), asks()), 'not_permitted', 'web1'],
]; // prettier-ignore

describe('a refusal', () => {
  it.each(REFUSALS)('of %s signs nothing, and is on record', (_about, breakIt, code, caller) => {
    const acl = new Acl();
    expect(acl.refusalOf(breakIt(acl))).toBe(code);
    expect(acl.signed).toEqual([]);
    expect(acl.audit.map((entry) => [entry.what, entry.reason, entry.caller?.name])).toEqual([
      ['refusal', code, caller],
    ]);
  });

  it('of a caller that is not proved comes before the policy is asked', () => {
    const acl = new Acl();
    acl.signatureHolds = false;
    acl.refusalOf(asks());
    acl.signatureHolds = true;
    acl.refusalOf(asks({ issued: NOW - 65_001 }));
    expect(acl.decided).toEqual([]);
  });

  it('does not touch a request at the edge of the skew, at its very end, or with just its lifetime', () => {
    const acl = new Acl();
    expect(acl.refusalOf(asks({ issued: NOW + SKEW }))).toBeUndefined();
    expect(acl.refusalOf(asks({ issued: NOW - 65_000 }))).toBeUndefined();
    expect(acl.refusalOf(asks({ timeout: 86_400, lifetime: 86_400_000 }))).toBeUndefined();
  });
});
