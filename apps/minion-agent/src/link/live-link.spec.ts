/** Rules of a change of identity: it waits for what is asked, and what is asked meanwhile waits for it. */
import { type CameIn, LiveLink } from './live-link.js';

function came(name: string) {
  let lose: (why: string) => void = () => undefined;
  const lost = new Promise<string>((resolve) => {
    lose = resolve;
  });
  const backs: (() => void)[] = [];
  const transport = { lost, whenBack: (back: () => void) => backs.push(back) };
  // Of a link only who it is, and when it is lost or back, is looked at here.
  const one = { transport, link: { identity: name }, user: undefined } as unknown as CameIn;
  const isBack = () => {
    for (const back of backs) back();
  };
  return { one, lose, isBack };
}

function later<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const PATIENT = 60_000;

it('a change waits until what is asked has its answer', async () => {
  const link = new LiveLink(came('old').one);
  const answer = later<string>();
  const order: string[] = [];
  const asked = link.steady(() => answer.promise).then(() => order.push('answered'));
  const changed = link.alone(() => Promise.resolve(order.push('changed')), PATIENT);
  await new Promise(setImmediate);
  expect(order).toEqual([]);
  answer.resolve('yes');
  await Promise.all([asked, changed]);
  expect(order.toSorted()).toEqual(['answered', 'changed']);
});

it('what is asked during a change is asked after it, as whom it made', async () => {
  const link = new LiveLink(came('old').one);
  const decided = later<undefined>();
  const changed = link.alone(async () => {
    await decided.promise;
    link.goOver(came('new').one);
  }, PATIENT);
  const asked = link.steady(() => Promise.resolve(link.identity));
  decided.resolve(undefined);
  expect(await asked).toBe('new');
  await changed;
});

it('a change that fails lets the others go on as before', async () => {
  const link = new LiveLink(came('old').one);
  await expect(link.alone(() => Promise.reject(new Error('refused')), PATIENT)).rejects.toThrow('refused');
  expect(await link.steady(() => Promise.resolve(link.identity))).toBe('old');
});

it('a change has some patience, and no more', async () => {
  const link = new LiveLink(came('old').one);
  const never = link.steady(() => new Promise(() => undefined));
  expect(await link.alone(() => Promise.resolve('changed'), 1)).toBe('changed');
  expect(never).toBeInstanceOf(Promise);
});

it('is lost with the link that is live, not with the one before', async () => {
  const [old, next] = [came('old'), came('new')];
  const link = new LiveLink(old.one);
  link.goOver(next.one);
  old.lose('the old one');
  await new Promise(setImmediate);
  next.lose('the new one');
  expect(await link.lost).toBe('the new one');
});

it('tells when the broker is back for the link that is live, and of no other', () => {
  const [old, next] = [came('old'), came('new')];
  const link = new LiveLink(old.one);
  const told: unknown[] = [];
  link.whenBack(() => told.push(link.identity));
  old.isBack();
  link.goOver(next.one);
  old.isBack();
  next.isBack();
  expect(told).toEqual(['old', 'new']);
});

it('forgets what is too old for the identity that is live, and remembers nothing for the one before', () => {
  const remembering = (name: string, kept: number) => {
    const { one } = came(name);
    return { ...one, link: { bus: { sealer: { forgetEnded: () => kept } } } } as unknown as CameIn;
  };
  const link = new LiveLink(remembering('old', 7));
  expect(link.forgetEnded()).toBe(7);
  link.goOver(remembering('new', 3));
  expect(link.forgetEnded()).toBe(3);
});
