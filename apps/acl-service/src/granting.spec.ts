/** Rules of what is around a decision about a request: whose budget a guessed password takes from, and what of the missing is told. */
import { NO_TRACING, type Opened } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import {
  clusterOf,
  encodeRequest,
  fp,
  identityFrom,
  newIdentitySecret,
  randomBytes,
  SigningKey,
  sodiumReady,
} from '@natrium/envelope';
import { Budget } from '@natrium/flow';
import { ok, refuse, type Request } from '@natrium/model';
import { aRequest } from '@natrium/testing';
import { type Body, contracts, writeAs } from '@natrium/wire';
import type { AuditLog } from './audit/audit-log.js';
import type { Logins } from './eauth/logins.js';
import { Granting } from './granting.js';
import type { Policies } from './policy/policies.js';
import { policyOf } from './policy/policy-of.spec-support.js';
import type { Roster } from './roster/roster.js';

const NOW = 1_795_000_000_000;
const RIGHT = { eauth: 'pam', username: 'fred', secret: 'right', token: '' };

beforeAll(sodiumReady);

const namesTo = (count: number) => Array.from({ length: count }, (_, n) => `web${String(n + 1)}`);

/** A gate that knows the external users fred and ann, and from which addresses it has looked at passwords. */
function aGate({ targets = new Budget({ rate: 1, burst: 100 }), minions = 1, freds = 'test.*' } = {}) {
  const acl = SigningKey.generate();
  const roster = {
    callerOf: () => undefined,
    keyOfMinion: () => acl.publicKey,
  } as unknown as Roster;
  const addresses: string[] = [];
  const logins = {
    prove: ({ username: name, secret, eauth: backend }: typeof RIGHT, address: string) => {
      addresses.push(address);
      const proved = { principal: { kind: 'external', name }, login: { backend, groups: [] } };
      return Promise.resolve(secret === RIGHT.secret ? ok(proved) : refuse('bad_credential', 'it proves nobody'));
    },
  } as unknown as Logins;
  const recorded: unknown[] = [];
  const audit = {
    append: (_entry: unknown, _policy: string, about: unknown) => {
      recorded.push(about);
      return { chain: 'acl1', number: 0 };
    },
  } as unknown as AuditLog;
  const policies = {
    current: policyOf(`external_auth:\n  pam:\n    fred: [${freds}]\n    ann: [test.*]\n`, namesTo(minions)),
  } as Policies;
  let ownMs = 0;
  const clock = { now: () => NOW, own: () => ownMs, skewMs: 1000 };
  const link = { bus: { tracing: NO_TRACING }, roles: { cluster: clusterOf(acl.publicKey) }, clock };
  const granting = new Granting(link as unknown as RoleLink, acl, { roster, policies, audit, logins, targets }, 1000);
  const asks = (beside: Partial<Body<typeof contracts.grant>>, fields: Partial<Request> = {}) => {
    const request = encodeRequest(aRequest(NOW, fields));
    const asked = { request, signature: null, credential: RIGHT, grantRun: null, callerKey: null, batch: null };
    const body = { ...asked, jid: '20260101000000000000', ...beside };
    return granting.handle({ body } as Opened<typeof contracts.grant>);
  };
  return { asks, addresses, recorded, wait: (ms: number) => (ownMs += ms) };
}

it('a password beside a request is counted for the key that the request came with; without one it is the gateway’s', async () => {
  const { asks, addresses } = aGate();
  const { publicKey: callerKey } = identityFrom(newIdentitySecret());
  for (const secret of ['wrong', 'right']) {
    const { refusal, grant } = await asks({ callerKey, credential: { ...RIGHT, secret } });
    expect([refusal?.code, grant !== null]).toEqual(secret === 'right' ? [undefined, true] : ['bad_credential', false]);
  }
  await asks({});
  expect(addresses).toEqual([fp(callerKey), fp(callerKey), 'gateway']);
});

it('a request that is signed has no password looked at: nobody guesses beside a signature', async () => {
  const { asks, addresses } = aGate();
  const { refusal, grant } = await asks({ callerKey: randomBytes(32), signature: randomBytes(64) });
  expect([refusal?.code, grant, addresses]).toEqual(['bad_credential', null, []]);
});

it('of the names in a list that are nobody’s, those are told as missing that a minion could have; the answer can be sent', async () => {
  const { asks } = aGate();
  const longest = 'x'.repeat(255);
  const answer = await asks({}, { tgtType: 'list', tgt: `web1,web9,,${longest},${longest}x` });
  expect(answer.members.map(({ id }) => id)).toEqual(['web1']);
  expect(answer.missing).toEqual(['web9', longest]);
  expect(() => writeAs(contracts.granted.schema, answer)).not.toThrow();
});

const FACE = '\u{1f600}';

it('what a client says is the id of its HTTP request is cut so that it can be recorded: no half of a character ends it', async () => {
  const { asks, recorded } = aGate();
  const options = { http_request: `${'x'.repeat(63)}${FACE}` };
  for (const secret of ['wrong', 'right']) await asks({ credential: { ...RIGHT, secret } }, { options });
  await asks({}, { options: { http_request: `${'x'.repeat(62)}${FACE}` } });
  const cut = { http_request: `${'x'.repeat(63)}\ufffd` };
  expect(recorded).toEqual([
    cut,
    { ...cut, eauth: RIGHT.eauth },
    { http_request: `${'x'.repeat(62)}${FACE}`, eauth: RIGHT.eauth },
  ]);
});

it('the record of an external user names the back end that has proved him, and none where none has', async () => {
  const { asks, recorded } = aGate();
  for (const secret of ['wrong', 'right']) await asks({ credential: { ...RIGHT, secret } });
  expect(recorded).toEqual([{}, { eauth: RIGHT.eauth }]);
});

it('the place of a rule is cut so that it can be told', async () => {
  const path = 'external_auth › pam › fred › 0 › ';
  const ids = 'x'.repeat(1023 - path.length - 'L@web1,'.length);
  const { asks } = aGate({ freds: `{'L@web1,${ids}${FACE}': [test.*]}` });
  const { rule, grant } = await asks({}, { tgt: 'web1' });
  expect([rule, grant !== null]).toEqual([`${path}L@web1,${ids}\ufffd`, true]);
});

it('a caller pays for what it takes to find out whom a target means, and hears slow_down while he owes; nobody else does', async () => {
  const { asks, wait } = aGate({ targets: new Budget({ rate: 1, burst: 2 }), minions: 20_000 });
  const codes = async (tgts: readonly string[], fields: Partial<Request> = {}, username = RIGHT.username) => {
    const heard: (string | undefined)[] = [];
    for (const tgt of tgts) {
      const asked = await asks({ credential: { ...RIGHT, username } }, { tgtType: 'compound', tgt, ...fields });
      heard.push(asked.refusal?.code);
    }
    return heard;
  };
  expect(await codes(['a*', 'web1', 'c*', 'd*'])).toEqual([undefined, undefined, undefined, 'slow_down']);
  expect(await codes(['web1'])).toEqual(['slow_down']);
  expect(await codes(['d*'], {}, 'ann')).toEqual([undefined]);
  wait(1000);
  expect(await codes(['a*', 'a*', 'web1'])).toEqual([undefined, undefined, undefined]);
  expect(await codes(['e* or f*', 'web1'])).toEqual([undefined, 'slow_down']);
});
