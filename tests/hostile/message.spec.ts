/**
 * A hostile gateway, a broker, or another party of the cluster and the job's message: replayed, re-addressed, forged, of
 * another time or version. The minion does not open it, and says nothing of why; the reason is in its own log.
 */
import { OwnParty } from '@natrium/bus';
import { encode } from '@natrium/envelope';
import { seeded, withOneByteEdited } from '@natrium/testing';
import { digestsIn, type Forging, type JobOrder, type Mark, type TestMinion } from '@natrium/testing/cluster';
import { expectNothingRan, World } from './world.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

async function anOrder(mark: Mark, tgt = 'web*'): Promise<JobOrder> {
  return world.gateway.granted(await world.asked(world.marking(mark, { tgt })));
}

function delivered(order: JobOrder, bytes: Uint8Array, minion: TestMinion = world.web1) {
  return world.gateway.deliver(minion, bytes, digestsIn(order));
}

describe('a job’s message', () => {
  it('is refused when it comes again byte for byte; another request runs', async () => {
    const mark = world.mark();
    const order = await anOrder(mark);
    const bytes = world.gateway.sealJob(world.web1, order);
    expect(await delivered(order, bytes)).toMatchObject({ heard: 'done' });
    expect(await delivered(order, bytes)).toMatchObject({ heard: 'turned_away', code: 'replayed' });
    expect(mark.count()).toBe(1);
    const twin = await anOrder(mark);
    expect(await delivered(twin, world.gateway.sealJob(world.web1, twin))).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(2);
  });

  it('is refused on another minion’s subject; sealed to that minion it runs there', async () => {
    const mark = world.mark();
    const order = await anOrder(mark);
    const toWeb1 = world.gateway.sealJob(world.web1, order);
    expect(await delivered(order, toWeb1, world.web2)).toMatchObject({ heard: 'stale_key', code: 'stale_key' });
    await expectNothingRan(world, world.web2, order, mark);
    const toWeb2 = world.gateway.sealJob(world.web2, order);
    expect(await delivered(order, toWeb2, world.web2)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(1);
  });

  it('is refused with two wraps for the same minion; with one it runs', async () => {
    const mark = world.mark();
    const order = await anOrder(mark);
    const twice = { recipients: [world.web1.party, world.web1.party] };
    expect(await world.gateway.sends(world.web1, order, twice)).toMatchObject({
      heard: 'turned_away',
      code: 'duplicate_wrap',
    });
    await expectNothingRan(world, world.web1, order, mark);
    expect(await world.gateway.sends(world.web1, order)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(1);
  });

  it('is refused with any one byte edited; unedited it runs', async () => {
    const mark = world.mark();
    const order = await anOrder(mark);
    const bytes = world.gateway.sealJob(world.web1, order);
    const below = seeded(11);
    for (let round = 0; round < 48; round += 1) {
      const edited = withOneByteEdited(bytes, below(bytes.length));
      expect(['turned_away', 'stale_key']).toContain((await delivered(order, edited)).heard);
    }
    await expectNothingRan(world, world.web1, order, mark);
    expect(await delivered(order, bytes)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(1);
  });

  it.each([0, 2, 3, 127])('is refused in version %i; the same bytes in version 1 run', async (version) => {
    const mark = world.mark();
    const order = await anOrder(mark);
    const bytes = world.gateway.sealJob(world.web1, order);
    const [list] = bytes;
    const other = Uint8Array.of(list ?? 0, version, ...bytes.subarray(2));
    expect(await delivered(order, other)).toMatchObject({ heard: 'turned_away', code: 'version' });
    await expectNothingRan(world, world.web1, order, mark);
    expect(await delivered(order, bytes)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(1);
  });

  it('is refused when it is not sealed at all; sealed it runs', async () => {
    const mark = world.mark();
    const order = await anOrder(mark);
    const { request, grant } = order;
    const body = [request, [grant.bytes, grant.signature], world.gateway.link.own.instance];
    const header = [
      'job',
      new Uint8Array(16),
      world.gateway.link.own.keyring.currentKeyId,
      null,
      world.now,
      60_000,
      new Uint8Array(32),
    ];
    const frames = [
      new Uint8Array(),
      Buffer.from(JSON.stringify({ fun: 'cmd.run', arg: [mark.command] })),
      encode(body),
      encode([1, 'job', body]),
      encode([1, encode(header), encode(body), []]),
    ];
    for (const frame of frames) {
      const { heard, code } = await delivered(order, frame);
      expect(['shape', 'stale_key', 'unknown_sender']).toContain(code);
      expect(['turned_away', 'stale_key']).toContain(heard);
    }
    await expectNothingRan(world, world.web1, order, mark);
    expect(await world.gateway.sends(world.web1, order)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(1);
  });
});

describe('a job’s message from another than the gateway', () => {
  const others: readonly (readonly [string, () => OwnParty])[] = [
    ['another minion', () => world.web2.link.own],
    ['the runner-service', () => world.gateway.party('runner')],
    ['the acl-service', () => world.gateway.party('acl')],
    ['the reactor', () => world.gateway.party('reactor')],
  ];

  it.each(others)('is refused when it is from %s; from the gateway it runs', async (_, as) => {
    const mark = world.mark();
    const order = await anOrder(mark);
    const verdict = await world.gateway.sends(world.web1, order, { as: as() });
    expect(verdict).toMatchObject({ heard: 'turned_away', code: 'kind' });
    await expectNothingRan(world, world.web1, order, mark);
    expect(await world.gateway.sends(world.web1, order)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(1);
  });

  it('is refused when another role’s key calls itself a gateway; the gateway’s own key runs', async () => {
    const mark = world.mark();
    const order = await anOrder(mark);
    const runner = world.cluster.keys.roleKey('runner');
    const named = new OwnParty(
      {
        owner: { type: 'role', role: 'gateway', instance: 'impostor', key: runner.publicKey },
        signing: runner,
        cluster: world.acl.cluster,
        use: 'service',
        rolesSerial: 1,
      },
      { epochMs: 3_600_000, overlapMs: 0, announcementMs: 3_600_000 },
    );
    named.rotate(world.now);
    const verdict = await world.gateway.sends(world.web1, order, { as: named });
    expect(verdict).toMatchObject({ heard: 'stale_key', code: 'unknown_sender' });
    await expectNothingRan(world, world.web1, order, mark);
    expect(await world.gateway.sends(world.web1, order, { as: world.gateway.party('gateway') })).toMatchObject({
      heard: 'done',
    });
    expect(mark.count()).toBe(1);
  });
});

describe('a job’s message that lies in its header', () => {
  const lies: readonly (readonly [string, string, () => Forging, () => Forging])[] = [
    ['about the time, ahead', 'future', () => ({ issued: world.now + 35_000 }), () => ({ issued: world.now + 25_000 })],
    ['about the time, behind', 'stale', () => ({ issued: world.now - 60_001 }), () => ({ issued: world.now - 50_000 })],
    ['about how long it is good', 'stale', () => ({ lifetime: 60_001 }), () => ({ lifetime: 60_000 })],
    ['by answering what nobody asked', 're', () => ({ re: new Uint8Array(16) }), () => ({})],
    ['about its kind, to one that comes elsewhere', 'kind', () => ({ kind: 'news' }), () => ({})],
    ['about its kind, to one of another shape', 'schema', () => ({ kind: 'presence' }), () => ({})],
    ['about its kind, to one that there is not', 'kind', () => ({ kind: 'run-me' }), () => ({})],
  ];

  it.each(lies)('%s is refused (%s); with the truth it runs', async (_, code, lie, truth) => {
    const mark = world.mark();
    const order = await anOrder(mark);
    expect(await world.gateway.sends(world.web1, order, lie())).toMatchObject({ heard: 'turned_away', code });
    await expectNothingRan(world, world.web1, order, mark);
    expect(await world.gateway.sends(world.web1, order, truth())).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(1);
  });

  it('cannot make the minion say something else to the broker: an instance is a word and nothing more', async () => {
    const mark = world.mark();
    const order = await anOrder(mark);
    const smuggled = 'x _INBOX.x 0\r\n\r\nPUB nt.main.smuggled';
    for (const instance of [smuggled, 'a b', 'a.b', '*', '>', 'x\r\n', '']) {
      const wire = [order.request, [order.grant.bytes, order.grant.signature], instance];
      const verdict = await world.gateway.sends(world.web1, order, { wire });
      expect(verdict).toMatchObject({ heard: 'turned_away', code: 'schema' });
    }
    await expectNothingRan(world, world.web1, order, mark);
    expect(await world.gateway.sends(world.web1, order)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(1);
  });
});
