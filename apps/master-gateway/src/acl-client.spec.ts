/** Rules of the gateway's look at a grant: it is for this very request and this very job, or nothing is made of it. */
import { digestOf, NO_TRACING } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { SigningKey, sodiumReady } from '@natrium/envelope';
import type { SignedRequest } from '@natrium/flow';
import { ok, parseJid } from '@natrium/model';
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
