/** A hostile gateway and the grant: it makes its own, edits one, keeps one, or carries one to a minion it is not for. */
import { encode, encodeRequest, leafOf, MerkleTree, randomBytes, type Wire } from '@natrium/envelope';
import { aGrant, seeded, withOneByteEdited } from '@natrium/testing';
import type { JobOrder, Mark, TestMinion } from '@natrium/testing/cluster';
import { DB1, expectNothingRan, refusalOf, WEB1, World } from './world.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

async function expectRefused(
  order: JobOrder,
  code: string,
  mark: Mark,
  minion: TestMinion = world.web1,
): Promise<void> {
  expect(await world.gateway.sends(minion, order)).toMatchObject({ heard: 'refused', code });
  await expectNothingRan(world, minion, order, mark);
}

async function expectRuns(order: JobOrder, mark: Mark, minion: TestMinion = world.web1): Promise<void> {
  expect(await world.gateway.sends(minion, order)).toMatchObject({ heard: 'done' });
  expect(mark.count()).toBe(1);
}

describe('a grant that the acl-service did not give', () => {
  it('is refused when the gateway signed it; the acl-service’s with the same words runs', async () => {
    const mark = world.mark();
    const { request } = world.signed(world.marking(mark));
    const about = { request, members: [world.web1].map(({ id, key }) => ({ id, key })), issued: world.now };
    const same = { id: randomBytes(16) };
    const own = { key: world.cluster.keys.roleKey('gateway'), cluster: world.acl.cluster };
    await expectRefused({ ...about, grant: aGrant(own, about, same) }, 'grant_signature', mark);
    await expectRuns({ ...about, grant: aGrant(world.acl, about, same) }, mark);
  });

  it('is refused when it is for another cluster; for this one it runs', async () => {
    const mark = world.mark();
    const { request } = world.signed(world.marking(mark));
    const about = { request, members: [world.web1].map(({ id, key }) => ({ id, key })), issued: world.now };
    const elsewhere = { ...world.acl, cluster: randomBytes(32) };
    await expectRefused({ ...about, grant: aGrant(elsewhere, about) }, 'grant_signature', mark);
    await expectRuns({ ...about, grant: aGrant(world.acl, about) }, mark);
  });

  it('is refused with any one byte of it edited; unedited it runs', async () => {
    const mark = world.mark();
    const order = await world.gateway.granted(await world.asked(world.marking(mark)));
    const { bytes, signature } = order.grant;
    const below = seeded(6);
    for (let round = 0; round < 24; round += 1) {
      const inBytes = { signature, bytes: withOneByteEdited(bytes, below(bytes.length)) };
      const inSignature = { bytes, signature: withOneByteEdited(signature, below(signature.length)) };
      for (const grant of [inBytes, inSignature]) {
        const verdict = await world.gateway.sends(world.web1, { ...order, grant });
        expect(verdict).toMatchObject({ heard: 'refused', code: 'grant_signature' });
      }
    }
    await expectNothingRan(world, world.web1, order, mark);
    await expectRuns(order, mark);
  });

  it('is refused for another request than it was given for; for its own it runs', async () => {
    const [mark, other] = [world.mark(), world.mark()];
    const order = await world.gateway.granted(world.signed(world.marking(mark)));
    const { request } = world.signed(world.marking(other));
    await expectRefused({ ...order, request }, 'grant_digest', other);
    await expectRuns(order, mark);
  });
});

describe('a grant-run', () => {
  it('is refused by a minion; a grant for a job runs', async () => {
    const mark = world.mark();
    const run = world.signed(world.marking(mark, { what: 'run', funs: ['manage.up'], args: [[]] }));
    const { grant } = await world.gateway.askGrant(run);
    if (grant === null) throw new Error('the runner was not granted');
    const members = [{ id: WEB1, key: world.web1.key }];
    await expectRefused({ request: run.request, grant, members }, 'grant_kind', mark);
    await expectRuns(await world.gateway.granted(world.signed(world.marking(mark))), mark);
  });

  it('is refused even if the acl-service gave it for this very job; given as a grant-job, it runs', async () => {
    const mark = world.mark();
    const { request } = world.signed(world.marking(mark));
    const asRun = { kind: 'run', root: new Uint8Array(32), count: 0 } as const;
    await expectRefused(world.grant(request, [world.web1], asRun), 'grant_kind', mark);
    await expectRuns(world.grant(request, [world.web1]), mark);
  });

  it('is no way around: a request for a runner does not run on a minion under a grant-job either', async () => {
    const mark = world.mark();
    const job = world.marking(mark);
    await expectRefused(world.grant(encodeRequest({ ...job, what: 'run' }), [world.web1]), 'bad_request', mark);
    await expectRuns(world.grant(encodeRequest(job), [world.web1]), mark);
  });
});

describe('a grant that is over', () => {
  it('is refused a minute after it was given; before, it runs', async () => {
    const mark = world.mark();
    const { request } = world.signed(world.marking(mark));
    await expectRefused(world.grant(request, [world.web1], {}, world.now - 60_001), 'grant_expired', mark);
    await expectRuns(world.grant(request, [world.web1], {}, world.now - 50_000), mark);
  });

  it('is refused from further ahead than clocks may differ; from less far it runs', async () => {
    const mark = world.mark();
    const { request } = world.signed(world.marking(mark));
    await expectRefused(world.grant(request, [world.web1], {}, world.now + 35_000), 'grant_expired', mark);
    await expectRuns(world.grant(request, [world.web1], {}, world.now + 25_000), mark);
  });
});

describe('a minion that the grant does not name', () => {
  it('refuses with another’s place, with a place in a tree of the gateway’s own, and without one; the named one runs it', async () => {
    const mark = world.mark();
    const order = await world.gateway.granted(await world.asked(world.marking(mark, { tgt: 'web*' })));
    const grown = [...order.members, { id: DB1, key: world.db1.key }];
    const places: readonly (readonly [string, Partial<JobOrder>])[] = [
      ['another’s', {}],
      ['its own in a grown tree', { members: grown }],
      ['none', { place: encode([]) }],
      ['not even that', { place: new Uint8Array() }],
      ['beyond the end', { place: encode([2, []]) }],
      ['below the beginning', { place: encode([-1, []]) }],
    ];
    for (const [, change] of places) {
      const verdict = await world.gateway.sends(world.db1, { ...order, ...change });
      expect(verdict).toMatchObject({ heard: 'refused', code: 'grant_not_for_me' });
    }
    await expectNothingRan(world, world.db1, order, mark);
    await expectRuns(order, mark);
    expect(await world.gateway.sends(world.web2, order)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(2);
  });

  it('refuses when its own place is told wrongly; told rightly it runs', async () => {
    const mark = world.mark();
    const order = await world.gateway.granted(world.signed(world.marking(mark, { tgt: 'web*' })));
    const tree = MerkleTree.of(order.members.map(({ id, key }) => leafOf(key, id)));
    const index = tree.indexOf(leafOf(world.web1.key, WEB1));
    const proof: Wire = [...tree.proof(index)];
    const wrong = [
      [1 - index, proof],
      [index, []],
      [index, [...proof, randomBytes(32)]],
      [index, [randomBytes(32)]],
      [String(index), proof],
    ].map((place) => encode(place));
    for (const place of wrong) await expectRefused({ ...order, place }, 'grant_not_for_me', mark);
    await expectRuns({ ...order, place: encode([index, proof]) }, mark);
  });

  it('refuses when another identity was granted under its id; granted with its own identity it runs', async () => {
    const mark = world.mark();
    const { request } = world.signed(world.marking(mark));
    for (const member of [
      { id: WEB1, key: world.web2.key },
      { id: WEB1, key: randomBytes(32) },
      { id: DB1, key: world.web1.key },
    ]) {
      const about = { request, members: [member], issued: world.now };
      await expectRefused(
        { ...about, grant: aGrant(world.acl, about), place: encode([0, []]) },
        'grant_not_for_me',
        mark,
      );
    }
    await expectRuns({ ...world.grant(request, [world.web1]), place: encode([0, []]) }, mark);
  });

  it('is not brought under the root by asking for more: the wider request carries no signature', async () => {
    const mark = world.mark();
    const request = world.marking(mark);
    const asked = await world.asked(request);
    const wider = { ...asked, request: encodeRequest({ ...request, tgt: '*' }) };
    expect(await refusalOf(world, wider)).toBe('bad_signature');
    const order = await world.gateway.granted(asked);
    expect(order.members.map(({ id }) => id)).toEqual([WEB1]);
    await expectRuns(order, mark);
  });
});
