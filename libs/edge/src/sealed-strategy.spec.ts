/** Rules of how a handler's word becomes an answer; the doors themselves are tried in tests/cluster. */
import { NO_TRACING, type Opened, type SealedBus } from '@natrium/bus';
import { SealedStrategy } from './sealed-strategy.js';

const RETURN = 'up.*.return';
const GRANT = 'svc.acl.grant';
const PUBLISH = 'usr.*.publish';
const RUN = 'svc.run.run';
const HERE = 'svc.run.here.{instance}';
/** A return whose receipt cannot be sent. */
const UNSENT = 'unsent';

type Handler = Parameters<SealedStrategy['addHandler']>[1];
type Told = Pick<ConstructorParameters<typeof SealedStrategy>[0], 'onHandlerFailure' | 'onAnswered'>;

type Take = (opened: Opened) => unknown;

/** A service with one handler for these routes. */
function serving(routes: readonly string[], handler: Handler, told: Told, isOn = false) {
  /** What the bus calls with each message that it has opened, by subject, as long as it listens there. */
  const takes = new Map<string, Take>();
  const serve: SealedBus['serve'] = (subject, _queue, _contracts, take) => {
    takes.set(subject, take);
    return { close: () => Promise.resolve(void takes.delete(subject)) };
  };
  const bus = { serve, tracing: { ...NO_TRACING, isOn } } as SealedBus;
  const strategy = new SealedStrategy({ bus, prefix: 'nt', queue: 'gateway', instance: 'gw1', ...told });
  for (const route of routes) strategy.addHandler(route, handler);
  strategy.listen(() => undefined);
  return { strategy, takes };
}

/** @returns What the bus calls with each message that it has opened for this route. */
function served(route: string, handler: Handler, told: Told, isOn = false): Take {
  return serving([route], handler, told, isOn).takes.get(`nt.${route}`) ?? (() => undefined);
}

/** What becomes of returns that come in at once when their handler takes them so. */
async function saidTo(names: readonly string[], takes: (group: readonly Opened[]) => unknown, isOn = false) {
  const said: string[] = [];
  const failures: string[] = [];
  const onHandlerFailure = (route: string) => failures.push(route);
  const take = served(RETURN, (group: readonly Opened[]) => Promise.resolve(takes(group)), { onHandlerFailure }, isOn);
  for (const name of names) {
    const opened: Pick<Opened, 'kind' | 'acknowledge' | 'answer'> = {
      kind: name,
      acknowledge: () => {
        if (name === UNSENT) throw new Error('nothing can be sent');
        said.push(`receipt for ${name}`);
      },
      answer: ({ kind }) => said.push(kind),
    };
    void take(opened as Opened);
  }
  await new Promise(setImmediate);
  return { said, failures };
}

/** A handler that ends so for each of these. */
const ending =
  (ends: Readonly<Record<string, () => Promise<unknown>>>) =>
  (group: readonly Opened[]): readonly (Promise<unknown> | undefined)[] =>
    group.map(({ kind }) => ends[kind]?.());

const done = () => Promise.resolve(true);
const broken = () => Promise.reject(new Error('no room'));

it('a return has its receipt when the handler says that it is done, and nothing else', async () => {
  expect(await saidTo(['a'], ending({ a: done }))).toEqual({ said: ['receipt for a'], failures: [] });
});

it.each([false, undefined, { jid: '1' }])('a return has none when the handler says %p', async (word) => {
  expect(await saidTo(['a'], ending({ a: () => Promise.resolve(word) }))).toEqual({ said: [], failures: [] });
});

it('a return has none when the handler fails, which is told', async () => {
  expect(await saidTo(['a'], ending({ a: broken }))).toEqual({ said: [], failures: [RETURN] });
});

it('returns that come in at once are handed on at once, and each has its own end', async () => {
  const groups: number[] = [];
  const ends = ending({ a: done, b: broken, c: () => Promise.resolve(false), d: done });
  const told = await saidTo(['a', 'b', 'c', 'd'], (group) => {
    groups.push(group.length);
    return ends(group);
  });
  expect(told).toEqual({ said: ['receipt for a', 'receipt for d'], failures: [RETURN] });
  expect(groups).toEqual([4]);
});

it('one that is not ended yet keeps no other waiting', async () => {
  const told = await saidTo(['a', 'b'], ending({ a: () => new Promise(() => undefined), b: done }));
  expect(told).toEqual({ said: ['receipt for b'], failures: [] });
});

it('one whose receipt cannot be sent keeps no other from its own, and is told', async () => {
  const told = await saidTo([UNSENT, 'b'], ending({ [UNSENT]: done, b: done }));
  expect(told).toEqual({ said: ['receipt for b'], failures: [RETURN] });
});

it('none has a receipt when the handler itself fails, which is told', async () => {
  const told = await saidTo(['a', 'b'], () => Promise.reject(new Error('no handler')));
  expect(told).toEqual({ said: [], failures: [RETURN] });
});

it('where messages are traced each is handed on alone', async () => {
  const groups: number[] = [];
  const takes = (group: readonly Opened[]) => {
    groups.push(group.length);
    return group.map(done);
  };
  expect((await saidTo(['a', 'b'], takes, true)).said).toEqual(['receipt for a', 'receipt for b']);
  expect(groups).toEqual([1, 1]);
});

it('tells how long an answer took, and nothing of a request whose handler failed', async () => {
  const answered: string[] = [];
  const take = served(GRANT, ({ kind }: Opened) => (kind === 'good' ? Promise.resolve({}) : broken()), {
    onHandlerFailure: (route) => answered.push(`failed: ${route}`),
    onAnswered: (route, seconds) => answered.push(`${route} ${String(seconds >= 0 && seconds < 60)}`),
  });
  const opened = (kind: string) => ({ kind, answer: () => undefined }) as unknown as Opened;
  await take(opened('good'));
  await take(opened('bad'));
  expect(answered).toEqual([`${GRANT} true`, `failed: ${GRANT}`]);
});

describe('a service that leaves its queue', () => {
  const unfailing = { onHandlerFailure: () => undefined };
  const asked = { answer: () => undefined } as unknown as Opened;

  it('hears only what is asked of it alone, until it closes', async () => {
    const { strategy, takes } = serving([RUN, HERE], done, unfailing);
    expect([...takes.keys()]).toEqual(['nt.svc.run.run', 'nt.svc.run.here.gw1']);
    await strategy.leaveQueue();
    expect([...takes.keys()]).toEqual(['nt.svc.run.here.gw1']);
    await strategy.close();
    expect([...takes.keys()]).toEqual([]);
  });

  it('has settled when all that it was asked is answered, or has failed', async () => {
    const ends: ((how: Promise<unknown>) => void)[] = [];
    const { strategy, takes } = serving([RUN, GRANT], () => new Promise((resolve) => ends.push(resolve)), unfailing);
    for (const take of takes.values()) void take(asked);
    await strategy.leaveQueue();
    let isSettled = false;
    const settled = strategy.answering.settled().then(() => (isSettled = true));
    ends[0]?.(done());
    await new Promise(setImmediate);
    expect([strategy.answering.size, isSettled]).toEqual([1, false]);
    ends[1]?.(broken());
    expect(await settled).toBe(true);
  });

  it.each([
    ['returns are stored', RETURN],
    ['jobs have begun', PUBLISH],
  ])('is not kept from leaving until %s, but knows when they are', async (_, route) => {
    const ends: ((how: Promise<unknown>) => void)[] = [];
    const taken = () => new Promise((resolve) => ends.push(resolve));
    const handler = route === RETURN ? (group: readonly Opened[]) => Promise.resolve(group.map(taken)) : taken;
    const { strategy, takes } = serving([route], handler, unfailing);
    for (const take of takes.values()) for (const opened of [asked, asked]) void take(opened);
    await strategy.close();
    await strategy.answering.settled();
    await new Promise(setImmediate);
    let isSettled = false;
    const settled = strategy.beginning.settled().then(() => (isSettled = true));
    ends[0]?.(done());
    await new Promise(setImmediate);
    expect(isSettled).toBe(false);
    ends[1]?.(broken());
    expect(await settled).toBe(true);
  });

  it('does not wait for the end of a job: its fellows tell of that', async () => {
    const { strategy, takes } = serving([PUBLISH], () => new Promise(() => undefined), unfailing);
    for (const take of takes.values()) void take(asked);
    await strategy.answering.settled();
  });
});
