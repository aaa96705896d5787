/** Rules of receipts: what is delivered is done when somebody who has opened it says so, and not before. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { encodeReceipt, randomBytes, readReceipt } from '@natrium/envelope';
import { contracts } from '@natrium/wire';
import type { Opened } from '../sealing/opened.js';
import { JID, type Party, PATIENCE, settle, tap, useWorld } from './world.spec-support.js';

const world = useWorld();
const NOTHING = { ret: null, retcode: 0, success: true, out: null };
const RETURNS = 'nt.main.up.*.return';

/** A gateway that keeps each return for the test to acknowledge. */
function aGateway(instance = 'gw1', queue?: string) {
  const gateway = world().service('gateway', instance);
  const asked: Opened[] = [];
  gateway.bus.serve(RETURNS, queue, [contracts.returned], (message) => asked.push(message));
  return { gateway, asked };
}

/** Whether it has been settled, and how. */
function watched(delivering: ReturnType<Party['return']>) {
  const seen: unknown[] = [];
  void delivering.then((result) => seen.push(result));
  return seen;
}

it('whoever keeps what gives a receipt keeps nothing else of the message', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { gateway, asked } = aGateway();
  const minion = world().minion().knows(gateway);
  const done = watched(minion.return(() => [gateway.known]));
  await settle();
  const [message, acknowledge] = (() => {
    const opened = asked.pop()!;
    return [new WeakRef(opened), opened.acknowledge];
  })();
  await settle();
  collect();
  expect(message.deref()).toBeUndefined();
  acknowledge();
  await settle();
  expect(done).toEqual([{ ok: true, value: undefined }]);
});

describe('what is delivered', () => {
  it('is done with its receipt, which is all that the broker sees of the answer', async () => {
    const seen = tap(world());
    const { gateway, asked } = aGateway();
    const minion = world().minion().knows(gateway);
    const done = watched(minion.return(() => [gateway.known]));
    await settle();
    expect([asked.length, done]).toEqual([1, []]);
    asked[0]!.acknowledge();
    await settle();
    expect(done).toEqual([{ ok: true, value: undefined }]);
    const answers = seen.filter(({ subject }) => subject.startsWith('_INBOX'));
    expect(answers.map(({ payload }) => [payload.length, readReceipt(payload)?.length])).toEqual([[44, 32]]);
    expect(minion.failures).toEqual([]);
  });

  it('is not done by the receipt of another, nor by a guess; by its own it is', async () => {
    const { gateway, asked } = aGateway();
    const minion = world().minion().knows(gateway);
    const first = watched(minion.return(() => [gateway.known]));
    const second = watched(minion.return(() => [gateway.known]));
    await settle();
    const seen = tap(world());
    asked[0]!.acknowledge();
    await settle();
    expect(first).toEqual([{ ok: true, value: undefined }]);
    const broker = world().broker.connect();
    broker.publish(asked[1]!.reply!, seen[0]!.payload);
    broker.publish(asked[1]!.reply!, encodeReceipt(randomBytes(32)));
    await settle();
    expect([second, minion.failures]).toEqual([[], ['receipt', 'receipt']]);
    asked[1]!.acknowledge();
    await settle();
    expect(second).toEqual([{ ok: true, value: undefined }]);
  });

  it('is not done by an answer of the gateway’s, though it is sealed; by the receipt it is', async () => {
    const { gateway, asked } = aGateway();
    const minion = world().minion().knows(gateway);
    const done = watched(minion.return(() => [gateway.known]));
    await settle();
    asked[0]!.answer(contracts.eventsStored, { through: 1 });
    await settle();
    expect([done, minion.failures]).toEqual([[], ['kind']]);
    asked[0]!.acknowledge();
    await settle();
    expect(done).toEqual([{ ok: true, value: undefined }]);
  });

  it('is done when the gateway’s epoch ends while it works on it', async () => {
    const { gateway, asked } = aGateway();
    const minion = world().minion().knows(gateway);
    const { known } = gateway;
    const done = watched(minion.return(() => [known]));
    await settle();
    gateway.own.rotate(world().nowMs);
    asked[0]!.acknowledge();
    await settle();
    expect(done).toEqual([{ ok: true, value: undefined }]);
  });

  it('is sealed again for a gateway with other keys, and done when that one says so', async () => {
    const gone = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gone);
    world().nowMs += 1000;
    const { asked } = aGateway();
    const done = watched(minion.return(() => [gone.known]));
    await settle();
    expect([asked.length, minion.sent.length]).toEqual([1, 2]);
    asked[0]!.acknowledge();
    await settle();
    expect(done).toEqual([{ ok: true, value: undefined }]);
  });

  it('to two gateways is done when either says so', async () => {
    const [one, two] = [aGateway('gw1', 'gateway'), aGateway('gw2', 'gateway')];
    const minion = world().minion().knows(one.gateway, two.gateway);
    const done = watched(minion.return(() => minion.directory.role('gateway')));
    await settle();
    const [asked] = [...one.asked, ...two.asked];
    asked!.acknowledge();
    await settle();
    expect([one.asked.length + two.asked.length, done]).toEqual([1, [{ ok: true, value: undefined }]]);
  });

  it('has failed when nobody listens, nobody is known, or it is turned away', async () => {
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion().knows(gateway);
    expect(await minion.return(() => [])).toEqual({ ok: false, error: 'nobody_known' });
    expect(await minion.return(() => [gateway.known])).toEqual({ ok: false, error: 'no_responders' });
    gateway.bus.serve(RETURNS, undefined, [contracts.events], () => undefined);
    expect(await minion.return(() => [gateway.known])).toEqual({ ok: false, error: 'turned_away' });
  });
});

describe('whoever has given a receipt', () => {
  it('is not introduced to its asker again', async () => {
    const gateway = world().service('gateway', 'gw1');
    gateway.bus.serve(RETURNS, undefined, [contracts.returned], (message) => {
      message.acknowledge();
    });
    const minion = world().minion().knows(gateway);
    await minion.return(() => [gateway.known]);
    await minion.return(() => [gateway.known]);
    const [first = 0, second = 0] = minion.sent.map(({ payload }) => payload.length);
    expect(second).toBeLessThan(first - 100);
  });

  it('is not known where several were asked, so that each of them is introduced', async () => {
    const two = ['gw1', 'gw2'].map((instance) => world().service('gateway', instance));
    for (const { bus } of two)
      bus.serve(RETURNS, 'gateway', [contracts.returned], (message) => {
        message.acknowledge();
      });
    const minion = world()
      .minion()
      .knows(...two);
    for (let n = 0; n < 4; n += 1) expect((await minion.return(() => minion.directory.role('gateway'))).ok).toBe(true);
    expect(two.flatMap(({ failures }) => failures)).toEqual([]);
  });
});

it('a receipt where an answer is waited for is none; the answer still counts', async () => {
  const gateway = world().service('gateway', 'gw1');
  const minion = world().minion().knows(gateway);
  const asked: Opened[] = [];
  gateway.bus.serve('nt.main.up.*.event', undefined, [contracts.events], (message) => asked.push(message));
  const answer = minion.tell(() => [gateway.known]);
  await settle();
  asked[0]!.acknowledge();
  await settle();
  expect(minion.failures).toEqual(['receipt']);
  asked[0]!.answer(contracts.eventsStored, { through: 1 });
  expect(await answer).toMatchObject({ ok: true, value: { body: { through: 1 } } });
});

it('a receipt in place of an answer to a fan-out is none; the answer still counts', async () => {
  const minion = world().minion();
  const gateway = world().service('gateway', 'gw1').knows(minion);
  const subject = `nt.main.job.${minion.own.fp}`;
  minion.bus.serve(subject, undefined, [contracts.presence], (opened) => {
    opened.acknowledge();
    opened.answer(contracts.here, { running: [] });
  });
  const said: unknown[] = [];
  const targets = [{ party: minion.known, subject }];
  const fan = { contract: contracts.presence, body: { jids: [] }, answers: contracts.here, timeoutMs: PATIENCE };
  gateway.bus.fanOut(
    { ...fan, targets },
    {
      onAnswer: (index, body) => said.push([index, body]),
      onNoResponders: (index) => said.push(index),
    },
  );
  await settle();
  expect([said, gateway.failures]).toEqual([[[0, { running: [] }]], ['receipt']]);
});

it('to a message that names no inbox for its answer none is given', async () => {
  const { gateway, asked } = aGateway();
  const minion = world().minion().knows(gateway);
  const body = { jid: JID, digest: new Uint8Array(32), status: 'refused', code: null, outcome: NOTHING } as const;
  const framing = () => ({ messageId: randomBytes(16), re: null, introduce: true });
  const send = (reply: string | undefined) => {
    const bytes = minion.bus.sealer.seal(contracts.returned, body, [gateway.known], framing());
    minion.transport.publish(`nt.main.up.${minion.own.fp}.return`, bytes, reply);
  };
  for (const reply of [undefined, '$KV.NT_main_roster.k.x', '_INBOX.x.1']) send(reply);
  await settle();
  const seen = tap(world());
  for (const message of asked) message.acknowledge();
  await settle();
  expect(asked).toHaveLength(3);
  expect(seen.map(({ subject }) => subject)).toEqual(['_INBOX.x.1']);
});
