/**
 * A hostile gateway and the request: it invents callers, and edits or widens what a real one signed. The acl-service sees
 * it before the grant, the minion after it.
 */
import { digestOf } from '@natrium/bus';
import { encodeRequest, identityFrom, newIdentitySecret, randomBytes, type Request } from '@natrium/envelope';
import { GRANT_RUN } from '@natrium/flow';
import { type Asked, seeded, signedBy, withOneByteEdited } from '@natrium/testing';
import type { Mark } from '@natrium/testing/cluster';
import { expectNothingRan, refusalOf, WEB1, World } from './world.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

/** The twin runs, once; had the attack run as well, there would be two marks. */
async function expectRunsOnce(asked: Asked, mark: Mark): Promise<void> {
  expect(await world.gateway.runs(asked, world.web1)).toMatchObject({ heard: 'done' });
  expect(mark.count()).toBe(1);
}

describe('an invented caller', () => {
  it('is refused when nobody enrolled its key; an enrolled key under the same words runs', async () => {
    const mark = world.mark();
    const request = world.marking(mark);
    const nobody = identityFrom(newIdentitySecret());
    const invented = signedBy(nobody.signing, world.acl.cluster, request);
    expect(await refusalOf(world, invented)).toBe('unknown_caller');
    await expectNothingRan(world, world.web1, invented, mark);
    await expectRunsOnce(world.signed(request), mark);
  });

  it('is refused when it is the gateway itself; the caller under the same words runs', async () => {
    const mark = world.mark();
    const request = world.marking(mark);
    const own = signedBy(world.cluster.keys.roleKey('gateway'), world.acl.cluster, request);
    expect(await refusalOf(world, own)).toBe('unknown_caller');
    expect(await refusalOf(world, { ...own, callerKey: world.web1.key })).toBe('bad_signature');
    await expectNothingRan(world, world.web1, own, mark);
    await expectRunsOnce(world.signed(request), mark);
  });

  it('is refused when nothing is signed; with the signature it runs', async () => {
    const mark = world.mark();
    const asked = await world.asked(world.marking(mark));
    expect(await refusalOf(world, { ...asked, signature: null })).toBe('bad_credential');
    expect(await refusalOf(world, { ...asked, signature: new Uint8Array(64) })).toBe('bad_signature');
    await expectNothingRan(world, world.web1, asked, mark);
    await expectRunsOnce(asked, mark);
  });

  it('is refused when no key is named; with the key it runs', async () => {
    const mark = world.mark();
    const asked = await world.asked(world.marking(mark));
    expect(await refusalOf(world, { ...asked, callerKey: null })).toBe('bad_credential');
    await expectNothingRan(world, world.web1, asked, mark);
    await expectRunsOnce(asked, mark);
  });

  it('is refused when another enrolled key signed than the one that is claimed; under its own it runs', async () => {
    const mark = world.mark();
    const asked = world.signed(world.marking(mark), world.web2);
    expect(await refusalOf(world, { ...asked, callerKey: world.web1.key })).toBe('bad_signature');
    await expectNothingRan(world, world.web1, asked, mark);
    await expectRunsOnce(asked, mark);
  });

  it('is refused with a signature that was made for another cluster, or as something else; made as a request here it runs', async () => {
    const mark = world.mark();
    const asked = world.signed(world.marking(mark));
    const { signing } = world.web1.link.identity;
    const elsewhere = signing.sign('request', randomBytes(32), asked.request);
    const asData = signing.sign('data', world.acl.cluster, asked.request);
    expect(await refusalOf(world, { ...asked, signature: elsewhere })).toBe('bad_signature');
    expect(await refusalOf(world, { ...asked, signature: asData })).toBe('bad_signature');
    await expectNothingRan(world, world.web1, asked, mark);
    await expectRunsOnce(asked, mark);
  });

  it('is not lent the rights of another: who may do nothing is refused, who may runs', async () => {
    const mark = world.mark();
    const asked = world.signed(world.marking(mark), world.db1);
    expect(await refusalOf(world, asked)).toBe('not_permitted');
    expect(await refusalOf(world, { ...asked, callerKey: world.web1.key })).toBe('bad_signature');
    await expectNothingRan(world, world.web1, asked, mark);
    await expectRunsOnce(world.signed(world.marking(mark)), mark);
  });
});

/** Each part of a request, as a gateway might want it instead. */
const ALTERED: readonly (readonly [string, (request: Request) => Partial<Request>])[] = [
  ['another function', () => ({ funs: ['cmd.run_all'] })],
  ['a second function', ({ funs, args }) => ({ funs: [...funs, 'test.ping'], args: [...args, []] })],
  ['one argument more', ({ args }) => ({ args: [[...(args[0] ?? []), '/']] })],
  ['more minions', () => ({ tgt: '*' })],
  ['another type of target', () => ({ tgtType: 'pcre' })],
  ['a returner', () => ({ returner: 'elsewhere' })],
  ['an option for the returner', () => ({ returnerOptions: { to: 'elsewhere' } })],
  ['a longer timeout', ({ timeout }) => ({ timeout: timeout + 1 })],
  ['one option more', () => ({ options: { batch: '1' } })],
  ['a later issue', ({ issued }) => ({ issued: issued + 1 })],
  ['a shorter life', ({ lifetime }) => ({ lifetime: lifetime - 1 })],
  ['another request id', () => ({ id: randomBytes(16) })],
];

describe('a request that was signed otherwise', () => {
  it.each(ALTERED)(
    'is refused before and after the grant with %s; signed so by its caller it runs',
    async (_, alter) => {
      const mark = world.mark();
      const request = world.marking(mark);
      const other = { ...request, ...alter(request) };
      const asked = await world.asked(request);
      const edited = { ...asked, request: encodeRequest(other) };
      expect(await refusalOf(world, edited)).toBe('bad_signature');
      const order = await world.gateway.granted(asked);
      const verdict = await world.gateway.sends(world.web1, { ...order, request: edited.request });
      expect(verdict).toMatchObject({ heard: 'refused', code: 'grant_digest' });
      await expectNothingRan(world, world.web1, edited, mark);
      await expectNothingRan(world, world.web1, asked, mark);
      await expectRunsOnce(world.signed(other), mark);
    },
  );

  it('is refused with any one byte edited; unedited it runs', async () => {
    const mark = world.mark();
    const asked = await world.asked(world.marking(mark));
    const order = await world.gateway.granted(asked);
    const below = seeded(2);
    for (let round = 0; round < 32; round += 1) {
      const request = withOneByteEdited(asked.request, below(asked.request.length));
      expect(['bad_signature', 'bad_request']).toContain(await refusalOf(world, { ...asked, request }));
      const verdict = await world.gateway.sends(world.web1, { ...order, request });
      expect(verdict).toMatchObject({ heard: 'refused', code: 'grant_digest' });
    }
    await expectNothingRan(world, world.web1, asked, mark);
    await expectRunsOnce(asked, mark);
  });
});

describe('a request that is not for now', () => {
  it('is refused by the acl-service once its life is over; a moment before it runs', async () => {
    const mark = world.mark();
    const over = world.marking(mark, { issued: world.now - 65_001 });
    expect(await refusalOf(world, world.signed(over))).toBe('request_expired');
    await expectNothingRan(world, world.web1, world.signed(over), mark);
    await expectRunsOnce(world.signed({ ...over, issued: world.now - 60_000 }), mark);
  });

  it('is refused by the minion as well, whatever was granted', async () => {
    const mark = world.mark();
    const over = world.marking(mark, { issued: world.now - 65_001 });
    const sent = (request: Request) =>
      world.gateway.sends(world.web1, world.grant(encodeRequest(request), [world.web1]));
    expect(await sent(over)).toMatchObject({ heard: 'refused', code: 'request_expired' });
    await expectNothingRan(world, world.web1, world.signed(over), mark);
    expect(await sent({ ...over, issued: world.now - 60_000 })).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(1);
  });

  it('is refused when it comes from further ahead than clocks may differ; from less far it runs', async () => {
    const mark = world.mark();
    const ahead = world.marking(mark, { issued: world.now + 35_000 });
    expect(await refusalOf(world, world.signed(ahead))).toBe('request_from_future');
    const verdict = await world.gateway.sends(world.web1, world.grant(encodeRequest(ahead), [world.web1]));
    expect(verdict).toMatchObject({ heard: 'refused', code: 'request_from_future' });
    await expectNothingRan(world, world.web1, world.signed(ahead), mark);
    await expectRunsOnce(world.signed({ ...ahead, issued: world.now + 25_000 }), mark);
  });

  it('is refused when it would live longer than its timeout gives; with the right life it runs', async () => {
    const mark = world.mark();
    const long = world.marking(mark, { lifetime: 3_600_000 });
    expect(await refusalOf(world, world.signed(long))).toBe('bad_request');
    await expectNothingRan(world, world.web1, world.signed(long), mark);
    await expectRunsOnce(world.signed({ ...long, lifetime: 65_000 }), mark);
  });
});

describe('the gate, when the gateway does not keep it', () => {
  it('refuses a minion that would publish again, also among other functions; without that it runs', async () => {
    const mark = world.mark();
    const plain = world.marking(mark);
    const again: Request = {
      ...plain,
      funs: ['cmd.run', 'publish.publish'],
      args: [[mark.command], ['*', 'cmd.run', mark.command]],
    };
    const asked = await world.asked(again);
    expect(await refusalOf(world, asked)).toBe('recursive_publish');
    await expectNothingRan(world, world.web1, asked, mark);
    await expectRunsOnce(world.signed(plain), mark);
  });

  it.each(['key', 'wheel', 'jobs', 'audit', 'token'] as const)(
    'gives no grant for a request that is about %s; for a job it does, and that runs',
    async (what) => {
      const mark = world.mark();
      const request = world.marking(mark);
      const asked = world.signed({ ...request, what });
      const answer = await world.gateway.askGrant(asked);
      expect(answer.grant).toBeNull();
      expect(answer.refusal?.code).toBe(what === 'wheel' ? 'not_permitted' : 'bad_request');
      await expectNothingRan(world, world.web1, asked, mark);
      await expectRunsOnce(world.signed(request), mark);
    },
  );

  it('lets nobody but the runner-service publish for a runner, whoever holds the grant-run; that one runs', async () => {
    const mark = world.mark();
    const run = world.signed(world.marking(mark, { what: 'run', funs: ['manage.up'], args: [[]] }));
    const { grant } = await world.gateway.askGrant(run);
    if (grant === null) throw new Error('the runner was not granted');
    const grantRun = { request: run.request, grant };
    const request = world.marking(mark, { options: { [GRANT_RUN]: digestOf(grant.bytes) } });
    const asks = (asked: Asked, beside = grantRun) =>
      world.gateway.askGrant({ ...asked, callerKey: null }, world.gateway.mintJid(), beside);
    const gateway = signedBy(world.cluster.keys.roleKey('gateway'), world.acl.cluster, request);
    for (const asked of [gateway, world.signed(request), { ...gateway, signature: null }]) {
      expect(await asks(asked)).toMatchObject({ grant: null, refusal: { code: 'bad_signature' } });
    }
    const runner = signedBy(world.cluster.keys.roleKey('runner'), world.acl.cluster, request);
    const other = world.signed(world.marking(mark, { what: 'run', funs: ['manage.down'], args: [[]] }));
    const { grant: otherGrant } = await world.gateway.askGrant(other);
    if (otherGrant === null) throw new Error('the other runner was not granted');
    expect(await asks(runner, { request: other.request, grant: otherGrant })).toMatchObject({
      grant: null,
      refusal: { code: 'grant_digest' },
    });
    await expectNothingRan(world, world.web1, gateway, mark);
    const granted = await asks(runner);
    if (granted.grant === null) throw new Error(`the runner was refused: ${granted.refusal?.sentence ?? ''}`);
    const order = { request: encodeRequest(request), grant: granted.grant, members: granted.members };
    expect(await world.gateway.sends(world.web1, order)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(1);
  });

  it('names only the minions that exist: a job for nobody has no grant', async () => {
    const answer = await world.gateway.askGrant(world.signed(world.marking(world.mark(), { tgt: 'nobody*' })));
    expect(answer).toMatchObject({ refusal: null, grant: null, members: [] });
    const one = await world.gateway.askGrant(world.signed(world.marking(world.mark())));
    expect(one.members.map(({ id }) => id)).toEqual([WEB1]);
  });
});
