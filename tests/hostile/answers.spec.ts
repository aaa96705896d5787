/** A hostile gateway swaps answers: what it says must belong to the very question, and come from the one that was asked. */
import type { Opened } from '@natrium/bus';
import { encodeReceipt, randomBytes } from '@natrium/envelope';
import { contracts } from '@natrium/wire';
import type { HeardAsk, TestMinion } from '@natrium/testing/cluster';
import { Tap } from '../support/tap.js';
import { World } from './world.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

/** News as an honest gateway would tell it of a job that is over. */
function newsOf(id: string, ret: string) {
  return {
    refusal: null,
    started: null,
    returns: [{ id, ret, retcode: 0, success: true, out: null }],
    end: [],
  };
}

interface Asking {
  readonly heard: HeardAsk;
  readonly news: unknown[];
  readonly stop: () => void;
}

async function asking(by: TestMinion): Promise<Asking> {
  const news: unknown[] = [];
  const { heard, stop } = await world.asking(world.marking(world.mark()), by, (item) => news.push(item));
  return { heard, news, stop };
}

function replyOf({ reply }: Opened): string {
  if (reply === undefined) throw new Error('the question names no place for its answer');
  return reply;
}

/** Sends the answer to where `to` listens, as an answer to the question `re`. */
async function answers(to: Opened, re: Uint8Array, body: ReturnType<typeof newsOf>): Promise<void> {
  const { bus, transport } = world.gateway.link;
  bus.answerLater(to.party, replyOf(to), re, contracts.news, body);
  await transport.flush();
}

async function delivers(to: Opened, bytes: Uint8Array): Promise<void> {
  const { transport } = world.gateway.link;
  transport.publish(replyOf(to), bytes);
  await transport.flush();
}

describe('news', () => {
  it('of one question is not taken for another’s of the same caller; with the right question it is', async () => {
    const [one, two] = [await asking(world.web1), await asking(world.web1)];
    await answers(one.heard.opened, two.heard.opened.messageId, newsOf('web2', 'swapped'));
    await answers(two.heard.opened, one.heard.opened.messageId, newsOf('web2', 'swapped'));
    expect(await world.web1.log.turnedAway.next()).toBe('re');
    expect(await world.web1.log.turnedAway.next()).toBe('re');
    await answers(one.heard.opened, one.heard.opened.messageId, newsOf('web2', 'one'));
    await answers(two.heard.opened, two.heard.opened.messageId, newsOf('web2', 'two'));
    await world.web1.link.transport.flush();
    expect(one.news).toEqual([newsOf('web2', 'one')]);
    expect(two.news).toEqual([newsOf('web2', 'two')]);
    one.stop();
    two.stop();
  });

  it('of one caller’s question is not taken by another caller; by the right one it is', async () => {
    const [mine, theirs] = [await asking(world.web1), await asking(world.web2)];
    const forWeb2 = seal(theirs.heard.opened, newsOf('db1', 'theirs'));
    await delivers(mine.heard.opened, forWeb2);
    expect(await world.web1.log.turnedAway.next()).toBe('stale_key');
    await delivers(theirs.heard.opened, forWeb2);
    await world.web2.link.transport.flush();
    expect(theirs.news).toEqual([newsOf('db1', 'theirs')]);
    expect(mine.news).toEqual([]);
    mine.stop();
    theirs.stop();
  });

  it('is taken once: the same bytes again are refused', async () => {
    const one = await asking(world.web1);
    const bytes = seal(one.heard.opened, newsOf('web2', 'once'));
    await delivers(one.heard.opened, bytes);
    await delivers(one.heard.opened, bytes);
    expect(await world.web1.log.turnedAway.next()).toBe('replayed');
    expect(one.news).toEqual([newsOf('web2', 'once')]);
    one.stop();
  });

  it.each([
    ['another minion', () => world.web2.link.own],
    ['the acl-service', () => world.gateway.party('acl')],
    ['the runner-service', () => world.gateway.party('runner')],
  ] as const)('from %s is refused; the same from the gateway is taken', async (_, as) => {
    const one = await asking(world.web1);
    const body = newsOf('web2', 'forged');
    const { party, messageId: re } = one.heard.opened;
    await delivers(one.heard.opened, world.gateway.seal(contracts.news, body, party, { re, as: as() }));
    expect(await world.web1.log.turnedAway.next()).toBe('kind');
    expect(one.news).toEqual([]);
    await delivers(one.heard.opened, seal(one.heard.opened, body));
    await world.web1.link.transport.flush();
    expect(one.news).toEqual([body]);
    one.stop();
  });

  it('is no answer of another kind, nor one to nothing; as news to the question it is taken', async () => {
    const one = await asking(world.web1);
    const { party, messageId: re } = one.heard.opened;
    const stored = world.gateway.seal(contracts.eventsStored, { through: 1 }, party, { re });
    await delivers(one.heard.opened, stored);
    expect(await world.web1.log.turnedAway.next()).toBe('kind');
    await delivers(one.heard.opened, world.gateway.seal(contracts.news, newsOf('web2', 'x'), party));
    expect(await world.web1.log.turnedAway.next()).toBe('re');
    expect(one.news).toEqual([]);
    await delivers(one.heard.opened, seal(one.heard.opened, newsOf('web2', 'y')));
    await world.web1.link.transport.flush();
    expect(one.news).toEqual([newsOf('web2', 'y')]);
    one.stop();
  });
});

describe('the acknowledgement of a return', () => {
  it('of another return does not empty the spool; its own does', async () => {
    const { gateway, web1 } = world;
    const job = async () => gateway.granted(world.signed(world.marking(world.mark())));
    const [jobOne, jobTwo] = [await job(), await job()];
    gateway.withhold();
    expect(await gateway.sends(web1, jobOne)).toMatchObject({ heard: 'done' });
    expect(await gateway.sends(web1, jobTwo)).toMatchObject({ heard: 'done' });
    const [one, two] = gateway.withheld;
    if (one === undefined || two === undefined) throw new Error('two returns were withheld');
    const receiptOfOne = await receiptOf(one);
    await delivers(two, receiptOfOne);
    expect(await web1.log.turnedAway.next()).toBe('receipt');
    // What is still in the spool is what the minion answers with when it is asked again.
    expect(await gateway.sends(web1, jobOne)).toMatchObject({ heard: 'already_returned' });
    expect(await gateway.sends(web1, jobTwo)).toMatchObject({ heard: 'done' });
    gateway.release();
    await gateway.settled(web1.link);
    expect(await gateway.sends(web1, jobTwo)).toMatchObject({ heard: 'already_returned' });
  });

  it.each([
    ['by guessing', 'receipt', () => encodeReceipt(randomBytes(32))],
    ['with another answer of the gateway’s own', 'kind', ({ party, messageId }: Opened) =>
      world.gateway.seal(contracts.eventsStored, { through: 1 }, party, { re: messageId })],
  ] as const)('is not given %s; the spool keeps the return until its own comes', async (_, reason, forge) => {
    const { gateway, web1 } = world;
    const job = await gateway.granted(world.signed(world.marking(world.mark())));
    gateway.withhold();
    expect(await gateway.sends(web1, job)).toMatchObject({ heard: 'done' });
    const [one] = gateway.withheld;
    if (one === undefined) throw new Error('a return was withheld');
    await delivers(one, forge(one));
    expect(await web1.log.turnedAway.next()).toBe(reason);
    expect(await gateway.sends(web1, job)).toMatchObject({ heard: 'done' });
    gateway.release();
    await gateway.settled(web1.link);
    expect(await gateway.sends(web1, job)).toMatchObject({ heard: 'already_returned' });
  }); // prettier-ignore
});

/** Gives it, and tells what the broker saw of it. */
async function receiptOf(one: Opened): Promise<Uint8Array> {
  const tap = await Tap.open(world.cluster.broker.url);
  one.acknowledge();
  await world.gateway.settled(world.web1.link);
  const [receipt] = (await tap.take()).filter(({ subject }) => subject === replyOf(one));
  await tap.close();
  if (receipt === undefined) throw new Error('no receipt came');
  return receipt.payload;
}

function seal(to: Opened, body: ReturnType<typeof newsOf>): Uint8Array {
  return world.gateway.seal(contracts.news, body, to.party, { re: to.messageId });
}
