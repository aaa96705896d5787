/** A hostile gateway uses a grant again: at once, later, with another jid, after a restart, after the record is lost. */
import { digestOf } from '@natrium/bus';
import { toHex } from '@natrium/envelope';
import type { Asked } from '@natrium/testing';
import { digestsIn, type JobOrder, type Mark, type TestMinion } from '@natrium/testing/cluster';
import { World } from './world.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

type Fields = Parameters<World['marking']>[1];

async function runOnce(mark: Mark, fields: Fields = {}, minion: TestMinion = world.web1): Promise<JobOrder & Asked> {
  const asked = await world.asked(world.marking(mark, { tgt: minion.id, ...fields }));
  const order = await world.gateway.granted(asked);
  expect(await world.gateway.sends(minion, order)).toMatchObject({ heard: 'done' });
  expect(mark.count()).toBe(1);
  await world.gateway.settled(minion.link); // its spool has let go of the return
  return { ...asked, ...order };
}

/** The twin: the same words, asked anew. */
async function expectFreshRuns(mark: Mark, count: number, fields: Fields = {}, minion: TestMinion = world.web1) {
  const asked = world.signed(world.marking(mark, { tgt: minion.id, ...fields }));
  expect(await world.gateway.runs(asked, minion)).toMatchObject({ heard: 'done' });
  expect(mark.count()).toBe(count);
}

describe('a grant that is used twice', () => {
  it('runs once; the same words in a new request run again', async () => {
    const mark = world.mark();
    const order = await runOnce(mark);
    expect(await world.gateway.sends(world.web1, order)).toMatchObject({ heard: 'already_returned' });
    await expectFreshRuns(mark, 2);
  });

  it('runs once when both messages come at the same moment; two requests at the same moment run both', async () => {
    const mark = world.mark();
    const order = await world.gateway.granted(world.signed(world.marking(mark)));
    const [first, second] = [world.gateway.sealJob(world.web1, order), world.gateway.sealJob(world.web1, order)];
    world.gateway.link.transport.publish(world.gateway.link.subjects.job(world.web1.fp), first);
    const verdict = await world.gateway.deliver(world.web1, second, digestsIn(order));
    expect(verdict).toMatchObject({ heard: 'done' });
    await world.gateway.settled(world.web1.link);
    expect(await world.gateway.sends(world.web1, order)).toMatchObject({ heard: 'already_returned' });
    expect(mark.count()).toBe(1);
    await Promise.all([expectRun(mark), expectRun(mark)]);
    expect(mark.count()).toBe(3);
  });

  it('is answered with the return that nobody has stored yet, which ran once', async () => {
    const asked = world.signed(world.marking(world.mark(), { funs: ['cmd.run'], args: [['date +%N']] }));
    const order = await world.gateway.granted(asked);
    world.gateway.withhold();
    const first = await world.gateway.sends(world.web1, order);
    const second = await world.gateway.sends(world.web1, order);
    world.gateway.release();
    expect(second).toEqual(first);
    const other = world.signed(world.marking(world.mark(), { funs: ['cmd.run'], args: [['date +%N']] }));
    expect((await world.gateway.runs(other, world.web1)).ret).not.toBe(first.ret);
  });

  it('runs once under two jids, each with its own grant; two requests run under them both', async () => {
    const mark = world.mark();
    const asked = await world.asked(world.marking(mark));
    const [jid, jid2] = [world.gateway.mintJid(), world.gateway.mintJid()];
    const [order, order2] = [await world.gateway.granted(asked, jid), await world.gateway.granted(asked, jid2)];
    expect(await world.gateway.sends(world.web1, order)).toMatchObject({ heard: 'done', jid });
    await world.gateway.settled(world.web1.link);
    expect(await world.gateway.sends(world.web1, order2)).toMatchObject({ heard: 'already_returned', jid: jid2 });
    expect(mark.count()).toBe(1);
    const other = world.signed(world.marking(mark));
    const twin = await world.gateway.granted(other, jid2);
    expect(await world.gateway.sends(world.web1, twin)).toMatchObject({ heard: 'done', jid: jid2 });
    expect(mark.count()).toBe(2);
  });
});

describe('a grant that is used again after the minion was restarted', () => {
  it('does not run again; the same words in a new request do', async () => {
    const mark = world.mark();
    const order = await runOnce(mark);
    await world.web1.restart();
    expect(await world.gateway.sends(world.web1, order)).toMatchObject({ heard: 'already_returned' });
    expect(await world.gateway.runs(order, world.web1)).toMatchObject({ heard: 'already_returned' });
    expect(mark.count()).toBe(1);
    await expectFreshRuns(mark, 2);
  });

  it('does not run again when the minion died during the run; the outcome is unknown', async () => {
    const mark = world.mark();
    const order = await runOnce(mark);
    world.gateway.withhold();
    await world.web1.restart(() => {
      world.web1.forgetLastFinish();
    });
    const told = world.gateway.unasked.next(({ digest }) => toHex(digest) === digestOf(order.request));
    expect(await told).toMatchObject({ status: 'interrupted' });
    expect(await world.gateway.sends(world.web1, order)).toMatchObject({ heard: 'interrupted' });
    world.gateway.release();
    await world.gateway.settled(world.web1.link);
    expect(await world.gateway.sends(world.web1, order)).toMatchObject({ heard: 'already_returned' });
    expect(mark.count()).toBe(1);
    await expectFreshRuns(mark, 2);
  });

  it('runs after the restart when it was not used before it', async () => {
    const mark = world.mark();
    const order = await world.gateway.granted(world.signed(world.marking(mark)));
    await world.web1.restart();
    expect(await world.gateway.sends(world.web1, order)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(1);
  });
});

/** Before its first signed time and this, the minion cannot know what it ran: the furthest that a clock may be ahead. */
const SKEW_MS = 30_000;
const INCOMPLETE = { heard: 'refused', code: 'record_incomplete' };

describe('a grant that is used again after the record of what ran', () => {
  const losses: readonly (readonly [string, (minion: TestMinion) => void])[] = [
    ['was lost', (minion) => { minion.loseRecord(); }],
    ['was emptied', (minion) => { minion.rewriteRecord(() => ''); }],
    ['was put back to before a power loss', (minion) => { minion.rewriteRecord(() => 'boot before\n'); }],
    ['lost just this run', (minion) => { minion.rewriteRecord((text) => text.replace(/(started|finished) ./g, '$1 x')); }],
  ]; // prettier-ignore

  it.each(losses)(
    '%s is refused under its old grant and a new one; what was surely asked later runs',
    async (_, lose) => {
      const mark = world.mark();
      const minion = await world.anotherMinion();
      const order = await runOnce(mark, {}, minion);
      await minion.restart(() => { lose(minion); }); // prettier-ignore
      expect(await world.gateway.sends(minion, order)).toMatchObject(INCOMPLETE);
      expect(await world.gateway.runs(order, minion)).toMatchObject(INCOMPLETE);
      expect(mark.count()).toBe(1);
      await expectFreshRuns(mark, 2, { issued: world.now + SKEW_MS }, minion);
    },
  );

  it('was lost is refused with the caller’s clock 25 s ahead; 30 s ahead, which is after the loss, it runs', async () => {
    const mark = world.mark();
    const minion = await world.anotherMinion();
    const order = await runOnce(mark, { issued: world.now + 25_000 }, minion);
    await minion.restart(() => { minion.loseRecord(); }); // prettier-ignore
    expect(await world.gateway.sends(minion, order)).toMatchObject(INCOMPLETE);
    expect(await world.gateway.runs(order, minion)).toMatchObject(INCOMPLETE);
    expect(mark.count()).toBe(1);
    await expectFreshRuns(mark, 2, { issued: world.now + SKEW_MS }, minion);
  });

  it('was lost is refused as well when the minion has been restarted once more since', async () => {
    const mark = world.mark();
    const minion = await world.anotherMinion();
    const order = await runOnce(mark, {}, minion);
    await minion.restart(() => { minion.loseRecord(); }); // prettier-ignore
    await minion.restart();
    expect(await world.gateway.sends(minion, order)).toMatchObject(INCOMPLETE);
    expect(await world.gateway.runs(order, minion)).toMatchObject(INCOMPLETE);
    expect(mark.count()).toBe(1);
    await expectFreshRuns(mark, 2, { issued: world.now + SKEW_MS }, minion);
  });

  it('was lost is refused even if it never ran, since nobody can know; with the record it would have run', async () => {
    const mark = world.mark();
    const minion = await world.anotherMinion();
    const asked = () => world.signed(world.marking(mark, { tgt: minion.id }));
    const [unused, twin] = [asked(), asked()];
    await minion.restart();
    expect(await world.gateway.runs(twin, minion)).toMatchObject({ heard: 'done' });
    await minion.restart(() => { minion.loseRecord(); }); // prettier-ignore
    expect(await world.gateway.runs(unused, minion)).toMatchObject(INCOMPLETE);
    expect(mark.count()).toBe(1);
  });

  it('was cut in its last line is not run again; a new request runs once it is surely later', async () => {
    const mark = world.mark();
    const minion = await world.anotherMinion();
    const order = await runOnce(mark, {}, minion);
    await minion.restart(() => { minion.rewriteRecord((text) => text.slice(0, -20)); }); // prettier-ignore
    expect(await world.gateway.sends(minion, order)).toMatchObject({ heard: 'interrupted' });
    expect(mark.count()).toBe(1);
    await expectFreshRuns(mark, 2, { issued: world.now + SKEW_MS }, minion);
  });
});

describe('a grant that is used again after it expired', () => {
  it('is refused, whether it ran or not', async () => {
    const mark = world.mark();
    const db1 = world.db1;
    const { request } = world.signed(world.marking(mark, { tgt: db1.id }));
    const old = world.grant(request, [db1], {}, world.now - 60_001);
    expect(await world.gateway.sends(db1, old)).toMatchObject({ heard: 'refused', code: 'grant_expired' });
    expect(db1.recorded()).not.toContain(digestOf(request));
    expect(await world.gateway.sends(db1, world.grant(request, [db1]))).toMatchObject({ heard: 'done' });
    expect(await world.gateway.sends(db1, old)).toMatchObject({ heard: 'refused', code: 'grant_expired' });
    expect(mark.count()).toBe(1);
  });
});

async function expectRun(mark: Mark): Promise<void> {
  expect(await world.gateway.runs(world.signed(world.marking(mark)), world.web1)).toMatchObject({ heard: 'done' });
}
