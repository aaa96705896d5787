/** Rules of the gateway's look at a grant: it is for this very request and this very job, or nothing is made of it. */
import { jest } from '@jest/globals';
import { type AskFailure, BACK_MS, digestOf, NO_TRACING, type SealedBus } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { SigningKey, sodiumReady } from '@natrium/envelope';
import type { SignedRequest } from '@natrium/flow';
import { err, ok, parseJid } from '@natrium/model';
import { aGrant } from '@natrium/testing';
import { AclClient } from './acl-client.js';

const NOW = 1_795_000_000_000;
const [JID, OTHER] = [parseJid('20261120141646000001')!, parseJid('20261120141646000002')!];
const REQUEST = Uint8Array.of(1, 2, 3);
const MEMBERS = [{ id: 'web1', key: new Uint8Array(32) }];

beforeAll(sodiumReady);

/** The acl-service grants `request` under `jid`, whatever it was asked. */
async function verdict(granted: { readonly jid?: string; readonly request?: Uint8Array }): Promise<string> {
  const signer = { key: SigningKey.generate(), cluster: new Uint8Array(32) };
  const about = { request: granted.request ?? REQUEST, members: MEMBERS, issued: NOW };
  const grant = aGrant(signer, about, { jid: granted.jid ?? JID });
  const body = { refusal: null, grant, members: MEMBERS, missing: [], rule: 'peer' };
  const link = {
    bus: { ask: () => Promise.resolve(ok({ body })), tracing: NO_TRACING },
    subjects: { svcAcl: () => 'nt.main.svc.acl.grant' },
    directory: { role: () => [] },
  } as unknown as RoleLink;
  const ask = { bytes: REQUEST, digest: digestOf(REQUEST), credential: null, request: { what: 'job' } };
  const answer = await new AclClient(link, 1000).askGrant(ask as unknown as SignedRequest, JID);
  return answer.ok ? 'granted' : answer.error.code;
}

it.each([
  ['nobody_known', 'no acl-service is there (start one, or look into its log): nothing was sent'],
  ['no_responders', 'no acl-service is there (start one, or look into its log): nothing was sent'],
  ['timeout', 'no acl-service decided in time: nothing was sent'],
  ['turned_away', 'the acl-service turned the question away, its log says why: nothing was sent'],
] as const)(
  'a request that nobody has decided tells its caller what to do, in words: %s',
  async (failure, sentence) => {
    const link = {
      bus: { ask: () => Promise.resolve(err(failure)), tracing: NO_TRACING },
      subjects: { svcAcl: () => 'nt.main.svc.acl.grant' },
      directory: { role: () => [] },
    } as unknown as RoleLink;
    const credential = { eauth: 'pam', username: 'u', secret: 's', token: '' };
    const ask = { bytes: REQUEST, digest: digestOf(REQUEST), credential, request: { what: 'job' } };
    const answer = await new AclClient(link, 1000).askGrant(ask as unknown as SignedRequest, JID);
    expect(answer).toEqual(err({ code: 'acl_unavailable', sentence }));
  },
);

/** Where acl-services were asked of which each question fails so, or the first only; one that nobody hears in all of its time. */
async function asked(
  failure: AskFailure,
  credential: object | null,
  { answersLater = false, target = {} } = {},
): Promise<readonly string[]> {
  const verbs: string[] = [];
  const refused = {
    refusal: { code: 'not_permitted', sentence: 'no' },
    grant: null,
    members: [],
    missing: [],
    rule: '',
  };
  const ask: SealedBus['ask'] = ({ backMs, isForAll, subject }, _answers, timeoutMs) => {
    verbs.push(subject);
    expect([backMs, isForAll]).toEqual([BACK_MS, subject === 'again']);
    if (answersLater && verbs.length > 1)
      return Promise.resolve(ok({ body: refused as never, party: undefined as never }));
    if (failure === 'no_responders') jest.advanceTimersByTime(timeoutMs);
    return Promise.resolve(err(failure));
  };
  const link = {
    bus: { ask, tracing: NO_TRACING },
    subjects: { svcAcl: (verb: string) => verb },
    directory: { role: () => [] },
  } as unknown as RoleLink;
  const about = { what: 'job', tgt: '*', tgtType: 'glob', ...target };
  const request = { bytes: REQUEST, digest: digestOf(REQUEST), credential, request: about };
  const answer = await new AclClient(link, 100).askGrant(request as unknown as SignedRequest, JID);
  expect(answer).toMatchObject({ error: { code: answersLater ? 'not_permitted' : 'acl_unavailable' } });
  return verbs;
}

describe('an acl-service that does not answer', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const PASSWORD = { eauth: 'pam', username: 'u', secret: 's', token: '' };

  it('has all of them asked, as another may be there, but with a password it alone', async () => {
    expect(await asked('timeout', null)).toEqual(['grant', 'again']);
    expect(await asked('timeout', PASSWORD)).toEqual(['grant']);
    // A token is only looked up.
    expect(await asked('timeout', { eauth: '', username: '', secret: '', token: 'ab' })).toEqual(['grant', 'again']);
  });

  it('may be busy with a target that costs seconds: one other at most is asked for whom that means', async () => {
    const long = Array.from({ length: 30 }, (_, n) => `E@.*[a-z]${String(n)}q`);
    const verbs = (tgtType: string, tgt: string | readonly string[]) =>
      asked('timeout', null, { target: { tgtType, tgt } });
    for (const tgt of [long.join(' or '), long]) expect(await verbs('compound', tgt)).toEqual(['grant', 'grant']);
    for (const tgt of [long.join(','), long]) expect(await verbs('list', tgt)).toEqual(['grant', 'again']);
  });

  it('has both halves of a short time to come back in', async () => {
    expect(await asked('no_responders', null, { answersLater: true })).toEqual(['grant', 'grant']);
  });

  it('is believed when it turns the question away', async () => {
    expect(await asked('turned_away', null)).toEqual(['grant']);
  });

  it('is given up after the time of a grant where nobody ever hears it', async () => {
    expect(await asked('no_responders', null)).toEqual(['grant', 'grant']);
    expect(await asked('no_responders', PASSWORD)).toEqual(['grant']);
  });
});

describe('the acl-service’s answer', () => {
  it('is taken when its grant is for this request and this job', async () => {
    expect(await verdict({})).toBe('granted');
  });

  it('is refused when its grant is for another job', async () => {
    expect(await verdict({ jid: OTHER })).toBe('grant_jid');
  });

  it('is refused when its grant is for another request', async () => {
    expect(await verdict({ request: Uint8Array.of(9) })).toBe('grant_digest');
  });
});
