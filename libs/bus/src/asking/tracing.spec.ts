/** Rules of the trace that goes with a message: inside of its seal, behind what its kind tells, and nothing is decided by it. */
import { decode, encode, type TraceContext } from '@natrium/envelope';
import { contracts } from '@natrium/wire';
import { NO_TRACING, type Tracing } from './tracing.js';
import { JID, type Party, PATIENCE, settle, tap, useWorld } from './world.spec-support.js';

const world = useWorld();

describe('a trace', () => {
  const CONTEXT: TraceContext = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), isSampled: true };
  /** A wrap without anything private: the content key and its tag. */
  const BARE = 48;

  /** Tells the same trace of all that leaves, and notes what comes. */
  function noting() {
    const came: (TraceContext | undefined)[] = [];
    const ended: (string | undefined)[] = [];
    const tracing: Tracing = {
      ...NO_TRACING,
      isOn: true,
      send: () => ({ trace: CONTEXT, end: (failure) => ended.push(failure) }),
      receive: (_message, trace, work) => {
        came.push(trace);
        return work();
      },
    };
    return { came, ended, tracing };
  }

  function wrapSizes({ sent }: Party): number[][] {
    return sent.map(({ payload }) => {
      const [, , , wraps] = decode(payload) as readonly [
        number,
        Uint8Array,
        Uint8Array,
        [Uint8Array, Uint8Array, Uint8Array][],
      ];
      return wraps.map(([, , sealed]) => sealed.length);
    });
  }

  it('is in no message of a sender without traces, whoever hears it', async () => {
    const { came, tracing } = noting();
    const gateway = world().service('gateway', 'gw1', tracing);
    const minion = world().minion().knows(gateway);
    const opened = gateway.takeEvents();
    await minion.tell(() => [gateway.known]);
    expect([...wrapSizes(minion), ...wrapSizes(gateway)].flat().every((size) => size === BARE)).toBe(true);
    expect([came, opened.map(({ private: part }) => part.length)]).toEqual([[undefined], [0]]);
  });

  it('goes inside the wrap, where the broker sees nothing of it, also when a question is sealed again', async () => {
    const [there, here] = [noting(), noting()];
    const seen = tap(world());
    const gateway = world().service('gateway', 'gw1', there.tracing);
    const minion = world().minion(undefined, here.tracing).knows(gateway);
    gateway.takeEvents();
    gateway.own.rotate(world().nowMs);
    gateway.own.rotate(world().nowMs);
    expect(await minion.tell(() => [minion.directory.role('gateway')[0] ?? gateway.known])).toMatchObject({
      ok: true,
    });
    expect(minion.sent).toHaveLength(2);
    expect(wrapSizes(minion)).toEqual([[BARE + 28], [BARE + 28]]);
    expect([there.came, here.ended]).toEqual([[CONTEXT], [undefined]]);
    for (const { payload } of seen)
      expect(Buffer.from(payload).includes(Buffer.from(CONTEXT.traceId, 'hex'))).toBe(false);
  });

  it('changes nothing for a receiver without traces', async () => {
    const gateway = world().service('gateway', 'gw1');
    const minion = world().minion(undefined, noting().tracing).knows(gateway);
    const opened = gateway.takeEvents();
    expect(await minion.tell(() => [gateway.known])).toMatchObject({ ok: true, value: { body: { through: 1 } } });
    expect(opened.map(({ kind }) => kind)).toEqual(['events']);
  });

  it('stands behind what a job tells only its minion', async () => {
    const { came, tracing } = noting();
    const gateway = world().service('gateway', 'gw1', tracing);
    const minion = world().minion(undefined, tracing).knows(gateway);
    const parts: Uint8Array[] = [];
    const subject = `nt.main.job.${minion.own.fp}`;
    minion.bus.serve(subject, undefined, [contracts.presence], (opened) => parts.push(opened.private));
    const targets = [{ party: minion.known, subject, private: [7, ['x']] }];
    const fan = { contract: contracts.presence, body: { jids: [JID] }, targets, timeoutMs: PATIENCE };
    const stop = gateway.bus.fanOut(fan, { onNoResponders: () => undefined });
    await settle();
    expect([came, parts.map((part) => (decode(part) as unknown[]).slice(0, 2))]).toEqual([[CONTEXT], [[7, ['x']]]]);
    stop();
  });

  it.each([
    ['no encoding', Uint8Array.of(0xc1)],
    ['something else', encode(['x'])],
    ['a span of zeros', encode([new Uint8Array(25).fill(1, 0, 16)])],
    ['too short', encode([new Uint8Array(24).fill(1)])],
  ])('that is not good (%s) is ignored: the message counts as ever', async (_why, part) => {
    const { came, tracing } = noting();
    const gateway = world().service('gateway', 'gw1', tracing);
    const minion = world().minion().knows(gateway);
    const opened = gateway.takeEvents();
    const { seal } = minion.bus.sealer;
    minion.bus.sealer.seal = (contract, body, to, framing) =>
      seal.call(minion.bus.sealer, contract, body, to, framing, part);
    expect(await minion.tell(() => [gateway.known])).toMatchObject({ ok: true });
    expect([came, opened.length, gateway.failures.filter((reason) => reason !== 'unknown_sender')]).toEqual([
      [undefined],
      1,
      [],
    ]);
  });

  it('that was altered on its way is a message that was altered', async () => {
    const { came, tracing } = noting();
    const gateway = world().service('gateway', 'gw1', tracing).knows();
    const minion = world().minion(undefined, tracing).knows(gateway);
    gateway.knows(minion);
    gateway.takeEvents();
    const asked = minion.tell(() => [gateway.known]);
    await asked;
    const [{ subject, payload } = { subject: '', payload: new Uint8Array() }] = minion.sent;
    const last = payload.length - 1;
    world()
      .broker.connect()
      .publish(subject, payload.with(last, (payload[last] ?? 0) ^ 1));
    await settle();
    expect([came, gateway.failures]).toEqual([[CONTEXT], ['wrap']]);
  });

  it('ends with the word for why a question failed', async () => {
    const { ended, tracing } = noting();
    const gateway = world().service('gateway', 'gw1');
    await world()
      .minion(undefined, tracing)
      .knows(gateway)
      .tell(() => [gateway.known]);
    expect(ended).toEqual(['no_responders']);
  });
});
