/**
 * A hostile runner-service: it has every key of its role and all that passed it, and changes no key that no account asked for.
 */
import type { Grant, Request, SigningKey } from '@natrium/envelope';
import { REACTION } from '@natrium/flow';
import { aGrant, aRequest, type Asked, PATIENCE_MS, signedBy } from '@natrium/testing';
import { type Body, contracts } from '@natrium/wire';
import { type Account, REACTS, World } from './world.js';

const HOUR_MS = 3_600_000;
const WEB1 = { kind: 'minion', name: 'web1' } as const;
const REJECT = [['web1', { __kwarg__: true, include_accepted: true }]];

type Asks = Body<typeof contracts.wheel>;

let world: World;
let keeper: Account;
let nobody: Account;

beforeAll(async () => {
  world = await World.start();
  keeper = await world.account('keeper');
  nobody = await world.account('nobody');
});
afterAll(() => world.stop());

function asks({ identity }: Account, fields: Partial<Request>): Asked {
  return signedWith(identity.signing, fields);
}

function signedWith(key: SigningKey, fields: Partial<Request>): Asked {
  const { roles, clock } = world.runner.link;
  return signedBy(key, roles.cluster, aRequest(clock.now(), { what: 'wheel', ...fields }));
}

const now = () => world.runner.link.clock.now();

/** The same with a grant that the acl-service might have signed for this caller, at whatever time. */
function grantedTo(asked: Asked, caller: Grant['caller'], fields: Partial<Grant> = {}): Asks {
  const key = world.cluster.keys.roleKey('acl');
  const jid = world.cluster.gateway.mintJid();
  const about = { request: asked.request, members: [world.cluster.minion('web1')], issued: now() };
  const grant = aGrant({ key, cluster: world.runner.link.roles.cluster }, about, {
    kind: 'run',
    root: new Uint8Array(32),
    count: 0,
    caller,
    jid,
    ...fields,
  });
  return { ...asked, grant, jid };
}

const byKeeper = (fields: Partial<Request>) => grantedTo(asks(keeper, fields), { kind: 'account', name: keeper.name });

function byReactor(fields: Partial<Request>): Asks {
  const asked = signedWith(world.cluster.keys.roleKey('reactor'), { ...fields, options: { [REACTION]: REACTS } });
  return grantedTo(asked, { kind: 'reactor', name: REACTS });
}

/** An external user signs nothing. */
const byToken = (fields: Partial<Request>, grant: Partial<Grant> = {}): Asks => ({
  ...grantedTo(asks(nobody, fields), { kind: 'token', name: 'zoe' }, grant),
  signature: null,
  callerKey: null,
});

/** What an honest runner-service would hand on; undefined without a grant. */
async function granted(asked: Asked): Promise<Asks | undefined> {
  const { gateway } = world.cluster;
  const jid = gateway.mintJid();
  const { grant } = await gateway.askGrant(asked, jid);
  const { request, signature, callerKey } = asked;
  if (grant === null || signature === null || callerKey === null) return undefined;
  return { request, signature, callerKey, grant, jid };
}

/** The refusal’s code, or what came of it. */
async function handOn(body: Asks | undefined): Promise<unknown> {
  if (body === undefined) throw new Error('nothing was granted');
  const { bus, subjects, directory } = world.runner.link;
  const answer = await bus.ask(
    { contract: contracts.wheel, body, subject: subjects.svcAcl('wheel'), to: () => directory.role('acl') },
    contracts.ran,
    PATIENCE_MS,
  );
  if (!answer.ok) throw new Error(answer.error);
  return answer.value.body.refusal?.code ?? answer.value.body.outcome?.ret;
}

const states = async () => (await world.root.admin('key', 'key.list', [])) as unknown;

describe('the authority', () => {
  it('gets no grant to see for whoever may not', async () => {
    expect(await granted(asks(nobody, { funs: ['key.reject'], args: REJECT }))).toBeUndefined();
  });

  it('takes a grant for the very request, job and signature only', async () => {
    const before = await states();
    const listing = await granted(asks(keeper, { funs: ['key.list_all'] }));
    const forged = asks(nobody, { funs: ['key.reject'], args: REJECT });
    const unsigned = asks(keeper, { funs: ['key.reject'], args: REJECT });
    if (listing === undefined) throw new Error('nothing was granted');
    expect(await handOn({ ...listing, request: unsigned.request })).toBe('grant_digest');
    expect(await handOn({ ...listing, request: forged.request, callerKey: nobody.identity.publicKey })).toBe(
      'grant_digest',
    );
    expect(await handOn({ ...listing, signature: new Uint8Array(64) })).toBe('bad_signature');
    expect(await handOn({ ...listing, callerKey: nobody.identity.publicKey })).toBe('bad_signature');
    expect(await handOn({ ...listing, callerKey: new Uint8Array(32) })).toBe('unknown_caller');
    // Only an external user's request is without a signature, and our grant says whose it is.
    expect(await handOn({ ...listing, signature: null })).toBe('bad_credential');
    expect(await handOn({ ...listing, signature: null, callerKey: null })).toBe('bad_credential');
    expect(await handOn({ ...listing, jid: world.cluster.gateway.mintJid() })).toBe('grant_jid');
    expect(await states()).toEqual(before);
  });

  const rejects = { funs: ['key.reject'], args: REJECT };
  it.each([
    ['has expired since', 'request_expired', () => byKeeper({ ...rejects, issued: now() - HOUR_MS })],
    ['is a runner’s', 'bad_request', () => byKeeper({ ...rejects, what: 'run' })],
    ['is about no key', 'bad_request', () => byKeeper({ funs: ['config.values'] })],
    ['no reactor has signed', 'bad_signature', () => ({ ...byReactor(rejects), signature: new Uint8Array(64) })],
    ['an external user made for a minion', 'bad_credential', () => byToken(rejects, { onBehalfOf: [WEB1] })],
    ['was granted to an external user earlier', 'grant_expired', () => byToken(rejects, { issued: now() - 61_000 })],
  ] as const)('refuses what %s with %s, whatever was granted, and changes nothing', async (_what, code, body) => {
    const before = await states();
    expect(await handOn(body())).toBe(code);
    expect(await states()).toEqual(before);
  });

  it.each([
    ['an account', byKeeper],
    ['the reactor', byReactor],
    ['an external user', byToken],
  ])('carries out what %s asks and was granted a moment ago', async (_who, by) => {
    expect(await handOn(by({ funs: ['key.list_all'] }))).toMatchObject({ minions: ['db1', 'web1'] });
  });

  it('carries a request out once', async () => {
    const body = await granted(asks(keeper, { funs: ['key.reject'], args: REJECT }));
    expect(await handOn(body)).toEqual({ minions_rejected: ['web1'] });
    expect(await handOn(body)).toBe('already_ran');
  });

  it('asks the roster and the policy again: a key that was removed meanwhile changes nothing', async () => {
    const before = await states();
    const gone = await granted(asks(keeper, { funs: ['key.delete'], args: [['db1']] }));
    await world.remove(keeper);
    expect(await handOn(gone)).toBe('unknown_caller');
    expect(await states()).toEqual(before);
  });
});
