/** Rules of whose word counts for a request about keys that a runner-service hands on: each that does not proves that no key was changed. */
import { MemoryStore, type Opened } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { clusterOf, identityFrom, newIdentitySecret, SigningKey, sodiumReady } from '@natrium/envelope';
import { REACTION } from '@natrium/flow';
import type { Principal, Request } from '@natrium/model';
import { aGrant, aRequest, signedBy } from '@natrium/testing';
import type { Body, contracts } from '@natrium/wire';
import type { AuditLog } from '../audit/audit-log.js';
import { OnceOnly } from '../once-only.js';
import type { Policies } from '../policy/policies.js';
import { policyOf } from '../policy/policy-of.spec-support.js';
import { Roster } from '../roster/roster.js';
import type { KeyEvents } from './key-events.js';
import { Room } from './room.js';
import { WheelKeys } from './wheel-keys.js';

type Asked = Body<typeof contracts.wheel>;

const NOW = 1_795_000_000_000;
const POLICY = [
  'publisher_acl:',
  '  keeper: ["@wheel"]',
  '  reader: [{"@wheel": ["key.list_all"]}]',
  'external_auth:',
  '  pam:',
  '    zoe: ["@wheel"]',
  'reactor_grants:',
  '  accepting$: ["@wheel"]',
].join('\n');
const ACCEPT = { what: 'wheel', funs: ['key.accept'], args: [['web1']], tgt: '' } as const;

beforeAll(sodiumReady);

async function aWheel() {
  const [acl, reactor, stranger] = [SigningKey.generate(), SigningKey.generate(), SigningKey.generate()];
  const cluster = clusterOf(acl.publicKey);
  const roster = await Roster.open(new MemoryStore('roster'), {
    acl,
    aclKeys: () => [acl.publicKey],
    cluster,
    nameKey: { id: 'one', key: new Uint8Array(32).fill(1) },
    onSpoilt: () => undefined,
  });
  const enrolled = async (kind: 'minion' | 'account', name: string, state: 'accepted' | 'pending') => {
    const made = identityFrom(newIdentitySecret());
    await roster.write({ kind, name, identity: made.publicKey, nkey: made.nkeyPublic, state });
    return made.signing;
  };
  const signers = {
    root: await enrolled('account', 'root', 'accepted'),
    keeper: await enrolled('account', 'keeper', 'accepted'),
    reader: await enrolled('account', 'reader', 'accepted'),
    gone: await enrolled('account', 'gone', 'pending'),
    db1: await enrolled('minion', 'db1', 'accepted'),
    stranger,
    reactor,
  };
  await enrolled('minion', 'web1', 'pending');
  const recorded: object[] = [];
  const audit = {
    write: ({ caller, verdict }: Parameters<AuditLog['write']>[0]) => recorded.push({ caller, verdict }),
    refuse: ({ caller, code }: Parameters<AuditLog['refuse']>[0]) => recorded.push({ caller, code }),
  };
  const keysOf = (role: string) => [role === 'acl' ? acl.publicKey : reactor.publicKey];
  const roles = { cluster, keysOf, chain: [acl.publicKey] };
  const link = { roles, clock: { now: () => NOW, skewMs: 1000 } } as unknown as RoleLink;
  const wheel = new WheelKeys(link, {
    roster,
    room: new Room(roster, () => ({ max_minions: 0 })),
    policies: { current: policyOf(POLICY) } as Policies,
    audit: audit as unknown as AuditLog,
    events: { decided: () => undefined } as unknown as KeyEvents,
    once: new OnceOnly(new MemoryStore('tokens'), () => NOW),
  });
  /** @param caller Whom the grant is for. @param about What is otherwise than it should be. */
  const answerTo = async (by: keyof typeof signers, caller: Principal, about: Partial<About> = {}) => {
    const { fields = {}, body = {}, issued = NOW } = about;
    const asked = signedBy(signers[by], cluster, aRequest(NOW, { ...ACCEPT, ...fields }));
    const { grant, jid } = granted({ key: acl, cluster }, asked.request, caller, issued);
    const opened = { body: { ...asked, grant, jid, ...body } } as unknown as Opened<typeof contracts.wheel>;
    return wheel.handle(opened);
  };
  const ask = async (...asked: Parameters<typeof answerTo>) => {
    const { refusal, outcome } = await answerTo(...asked);
    return refusal?.code ?? outcome?.success;
  };
  const keyOf = (name: keyof typeof signers) => signers[name].publicKey;
  return { ask, answerTo, roster, keyOf, recorded, accepted: () => [...roster.acceptedMinions()] };
}

interface About {
  readonly fields: Partial<Request>;
  readonly body: Partial<Asked>;
  /** When the grant was made. */
  readonly issued: number;
}

function granted(acl: Parameters<typeof aGrant>[0], request: Uint8Array, caller: Principal, issued: number) {
  const members = [{ id: 'x', key: new Uint8Array(32) }];
  const jid = '20260101000000000000';
  const expires = issued + 3_600_000;
  const fields = { kind: 'run', root: new Uint8Array(32), count: 0, caller, jid, expires } as const;
  return { jid, grant: aGrant(acl, { request, members, issued }, fields) };
}

const account = (name: string): Principal => ({ kind: 'account', name });
const ZOE: Principal = { kind: 'token', name: 'zoe' };
const UNSIGNED = { signature: null, callerKey: null };

it.each<[string, Principal, Parameters<Awaited<ReturnType<typeof aWheel>>['ask']>]>([
  ['an account with full access', account('root'), ['root', account('root')]],
  ['an account with an entry', account('keeper'), ['keeper', account('keeper')]],
  ['an account that the master’s key claims', account('sudo_keeper'), ['root', account('sudo_keeper'), { fields: { options: { as: 'sudo_keeper' } } }]], // prettier-ignore
  ['a reaction with an entry', { kind: 'reactor', name: 'accepting' }, ['reactor', { kind: 'reactor', name: 'accepting' }, { fields: { options: { [REACTION]: 'accepting' } } }]], // prettier-ignore
  ['a token, by our own grant', ZOE, ['stranger', ZOE, { body: UNSIGNED }]],
])('%s takes a key, once, and is in the audit', async (_, caller, asked) => {
  const { ask, recorded, accepted } = await aWheel();
  expect(await ask(...asked)).toBe(true);
  expect(accepted()).toEqual(['db1', 'web1']);
  expect(recorded).toEqual([{ caller, verdict: 'allow' }]);
});

it.each<[string, string, Principal | null, Parameters<Awaited<ReturnType<typeof aWheel>>['ask']>]>([
  ['an account without the entry', 'not_permitted', account('reader'), ['reader', account('reader')]],
  ['a key that is not accepted', 'unknown_caller', null, ['gone', account('gone')]],
  ['a minion', 'unknown_caller', { kind: 'minion', name: 'db1' }, ['db1', { kind: 'minion', name: 'db1' }]],
  ['a grant for somebody else', 'grant_digest', account('keeper'), ['keeper', account('root')]],
  ['a claim of another key than the master’s', 'bad_credential', account('keeper'), ['keeper', account('root'), { fields: { options: { as: 'root' } } }]], // prettier-ignore
  ['a reaction without an entry', 'not_permitted', null, ['reactor', { kind: 'reactor', name: 'other' }, { fields: { options: { [REACTION]: 'other' } } }]], // prettier-ignore
  ['an account, without its signature', 'bad_credential', null, ['root', account('root'), { body: UNSIGNED }]],
  ['a token whose grant is old', 'grant_expired', null, ['stranger', ZOE, { body: UNSIGNED, issued: NOW - 61_000 }]],
  ['another job than the granted one', 'grant_jid', account('root'), ['root', account('root'), { body: { jid: '20260101000000000001' } }]], // prettier-ignore
  ['what is not about keys', 'bad_request', account('root'), ['root', account('root'), { fields: { funs: ['config.values'] } }]], // prettier-ignore
])('no key is changed for %s: %s', async (_, code, caller, asked) => {
  const { ask, recorded, accepted } = await aWheel();
  expect(await ask(...asked)).toBe(code);
  expect(accepted()).toEqual(['db1']);
  expect(recorded).toEqual([{ caller, code }]);
});

it('whoever hands a request on with another’s key accuses nobody', async () => {
  const { ask, keyOf, recorded, accepted } = await aWheel();
  expect(await ask('stranger', account('keeper'), { body: { callerKey: keyOf('keeper') } })).toBe('bad_signature');
  expect([recorded, accepted()]).toEqual([[{ caller: null, code: 'bad_signature' }], ['db1']]);
});

it('a function that there is not is refused, which names those that there are, and recorded', async () => {
  const { answerTo, recorded, accepted } = await aWheel();
  for (const fun of ['key.acccept', `key.${'x'.repeat(200)}`]) {
    const { refusal, outcome } = await answerTo('root', account('root'), { fields: { funs: [fun] } });
    expect([refusal?.code, outcome]).toEqual(['unknown_runner', null]);
    expect(refusal?.sentence).toMatch(
      /^there is no wheel function key\.\S{1,61}; there are key\.accept, key\..*, key\.reject_dict$/,
    );
  }
  expect(recorded).toEqual(Array(2).fill({ caller: account('root'), verdict: 'refuse' }));
  expect(accepted()).toEqual(['db1']);
});

it('the same bytes are carried out once', async () => {
  const { ask, accepted } = await aWheel();
  const id = new Uint8Array(16).fill(3);
  expect(await ask('root', account('root'), { fields: { id } })).toBe(true);
  expect(await ask('root', account('root'), { fields: { id } })).toBe('already_ran');
  expect(accepted()).toEqual(['db1', 'web1']);
});

it('what no message carries is cut, and says so', async () => {
  const { answerTo, roster } = await aWheel();
  const [one] = roster.named('minion', 'web1');
  if (one === undefined) throw new Error('web1 has no key');
  roster.records = () => Array.from({ length: 70 }, (_, n) => ({ ...one, name: String(n).padStart(100_000, 'x') }));
  const { outcome } = await answerTo('root', account('root'), { fields: { funs: ['key.list_all'], args: [[]] } });
  expect(outcome?.ret).toMatch(/^\[cut: the return had 70\d{5} bytes\]$/);
});
