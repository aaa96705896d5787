/** Rules of a host that is told to slow down: it asks no gateway again before its time, and others of its scripts are not held up. */
import { setImmediate as immediate } from 'node:timers/promises';
import { refusal } from '@natrium/model';
import type { MasterPort, PublishAnswer, PublishAsk } from '@natrium/modules';
import { holdingBack } from './holding-back.js';

const ASK = { tgt: '*', fun: 'test.ping' } as unknown as PublishAsk;
const TOO_FAST: PublishAnswer = { type: 'refused', refusal: refusal('slow_down', 'too many requests') };
const DENIED: PublishAnswer = { type: 'refused', refusal: refusal('not_permitted', 'no') };
const DONE: PublishAnswer = { type: 'answered', returns: {}, absent: [], missing: [] };

/** A master that answers with each of these in turn, then always with the last; a promise is an answer that comes later. */
function aMaster(...answers: (PublishAnswer | Promise<PublishAnswer>)[]) {
  const clock = { now: 1_000_000 };
  let sent = 0;
  const port: MasterPort = {
    publish: () => Promise.resolve(answers[Math.min(sent++, answers.length - 1)] ?? DONE),
    runner: () => Promise.reject(new Error('not asked')),
  };
  return { clock, asker: holdingBack(port, () => clock.now), sent: () => sent };
}

function aLater() {
  let resolve: (answer: PublishAnswer) => void = () => undefined;
  const promise = new Promise<PublishAnswer>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

it('asks nobody for a second after that word, and tells its scripts the same', async () => {
  const { clock, asker, sent } = aMaster(TOO_FAST, DONE);
  expect(await asker.publish(ASK)).toBe(TOO_FAST);
  clock.now += 999;
  expect(await asker.publish(ASK)).toMatchObject({ type: 'refused', refusal: { code: 'slow_down' } });
  expect(sent()).toBe(1);
  clock.now += 1;
  expect(await asker.publish(ASK)).toBe(DONE);
});

it('holds nobody back for any other refusal', async () => {
  const { asker, sent } = aMaster(DENIED, DONE);
  expect(await asker.publish(ASK)).toBe(DENIED);
  expect(await asker.publish(ASK)).toBe(DONE);
  expect(sent()).toBe(2);
});

it('then asks one at a time, but does not wait for one that takes long', async () => {
  const slow = aLater();
  const { clock, asker, sent } = aMaster(TOO_FAST, slow.promise, DONE);
  await asker.publish(ASK);
  clock.now += 1000;
  const first = asker.publish(ASK);
  expect(await asker.publish(ASK)).toMatchObject({ refusal: { code: 'slow_down' } });
  expect(sent()).toBe(2);
  clock.now += 1000;
  expect(await asker.publish(ASK)).toBe(DONE);
  slow.resolve(DONE);
  expect(await first).toBe(DONE);
});

/** Asks this often in each second, for so many seconds. */
async function askFor(
  seconds: number,
  eachSecond: number,
  { clock, asker }: ReturnType<typeof aMaster>,
): Promise<void> {
  const told: Promise<PublishAnswer>[] = [];
  for (let n = 0; n < seconds * eachSecond; n += 1) {
    clock.now += 1000 / eachSecond;
    told.push(asker.publish(ASK));
    await immediate();
  }
  await Promise.all(told);
}

it('lets one a second out while its scripts ask as if nothing had been said', async () => {
  const master = aMaster(TOO_FAST, DONE);
  await master.asker.publish(ASK);
  await askFor(0.9, 40, master);
  expect(master.sent()).toBe(1);
  await askFor(20, 40, master);
  expect(master.sent()).toBeGreaterThan(19);
  expect(master.sent()).toBeLessThanOrEqual(21);
});

it('lets none out for another second when even that one was too many', async () => {
  const tooMany = aLater();
  const master = aMaster(TOO_FAST, tooMany.promise, DONE);
  await master.asker.publish(ASK);
  await askFor(0.9, 40, master);
  master.clock.now += 100;
  const one = master.asker.publish(ASK);
  master.clock.now += 500;
  tooMany.resolve(TOO_FAST);
  expect(await one).toBe(TOO_FAST);
  expect(master.sent()).toBe(2);
  await askFor(0.9, 40, master);
  expect(master.sent()).toBe(2);
  await askFor(0.2, 40, master);
  expect(master.sent()).toBe(3);
});

it('lets all of them out again a second after they have stopped', async () => {
  const master = aMaster(TOO_FAST, DONE);
  await master.asker.publish(ASK);
  await askFor(20, 40, master);
  master.clock.now += 1001;
  for (let n = 0; n < 10; n += 1) expect(await master.asker.publish(ASK)).toBe(DONE);
});

it('tries with all of them again after five minutes, whatever its scripts do', async () => {
  const master = aMaster(TOO_FAST, DONE);
  await master.asker.publish(ASK);
  await askFor(299, 40, master);
  const few = master.sent();
  expect(few).toBeLessThanOrEqual(300);
  await askFor(5, 40, master);
  expect(master.sent() - few).toBeGreaterThan(40 * 3);
});

it('rests no longer than a second for scripts that ask now and then', async () => {
  const master = aMaster(TOO_FAST, DONE);
  await master.asker.publish(ASK);
  await askFor(0.8, 5, master);
  expect(master.sent()).toBe(1);
  master.clock.now += 200;
  expect(await master.asker.publish(ASK)).toBe(DONE);
});

it('is over when no gateway has said it for ten seconds', async () => {
  const slow = aLater();
  const { clock, asker } = aMaster(TOO_FAST, slow.promise, DONE);
  await asker.publish(ASK);
  clock.now += 10_000;
  const first = asker.publish(ASK);
  expect(await asker.publish(ASK)).toBe(DONE);
  slow.resolve(DONE);
  await first;
});
