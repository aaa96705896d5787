/** Rules of when another gateway counts as gone: one that connects anew is not, and its callers wait at it. */
import { jest } from '@jest/globals';
import type { AskFailure } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { err, ok } from '@natrium/model';
import { Fellows } from './fellows.js';

const FELLOW = { owner: { type: 'role', instance: 'b' } };
type Said = AskFailure | 'here';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Gateway `a` beside `b`, of which `says` tells what comes of each question; the last for ever. */
async function beside(says: readonly Said[], isAnnounced = true) {
  const left = [...says];
  const adopted: [instance: string, isGone: boolean][] = [];
  let party: typeof FELLOW | undefined = isAnnounced ? FELLOW : undefined;
  const directory = {
    role: () => (party === undefined ? [] : [party]),
    instance: () => party,
    forget: () => (party = undefined),
  };
  const ask = () => {
    const said = (left.length > 1 ? left.shift() : left[0]) ?? 'here';
    return Promise.resolve(said === 'here' ? ok({}) : err(said));
  };
  const link = { own: { instance: 'a' }, directory, bus: { ask }, subjects: { svcGwHere: () => '' } };
  const fellows = await Fellows.watch({
    link: link as unknown as RoleLink,
    instances: () => Promise.resolve(['a', 'b']),
    adopt: (instance, isGone) => Promise.resolve(void adopted.push([instance, isGone])),
    back: () => Promise.resolve(),
    onProblem: (problem) => {
      throw new Error(problem);
    },
  });
  const after = async (seconds: number) => {
    await jest.advanceTimersByTimeAsync(seconds * 1000);
    return adopted;
  };
  return { after, stop: () => { fellows.stop(); } }; // prettier-ignore
}

it('is not gone of whom nobody heard a question or two', async () => {
  const { after, stop } = await beside(['no_responders', 'no_responders', 'here', 'no_responders', 'timeout', 'here']);
  expect(await after(20)).toEqual([]);
  stop();
});

it('is gone for good when nobody hears it three times', async () => {
  const { after, stop } = await beside(['here', 'no_responders']);
  expect(await after(3)).toEqual([]);
  expect(await after(1)).toEqual([['b', true]]);
  stop();
});

it('is gone, and may come back, when it is silent three times', async () => {
  const { after, stop } = await beside(['timeout']);
  expect(await after(2)).toEqual([]);
  expect(await after(1)).toEqual([['b', false]]);
  stop();
});

it('is gone at once when it has said so, or was never heard', async () => {
  const { after, stop } = await beside(['no_responders'], false);
  expect(await after(1)).toEqual([['b', true]]);
  stop();
});

it('is found to be gone while the jobs of another are still being taken over', async () => {
  const adopted: string[] = [];
  const link = {
    own: { instance: 'a' },
    directory: { role: () => [], instance: () => undefined },
  };
  const fellows = await Fellows.watch({
    link: link as unknown as RoleLink,
    instances: () => Promise.resolve(['b']),
    adopt: (instance) => {
      adopted.push(instance);
      // Another gateway is announced, and gone, while those of this one are taken over.
      link.directory.role = () => [{ owner: { type: 'role', instance: 'c' } }] as never;
      return new Promise(() => undefined);
    },
    back: () => Promise.resolve(),
    onProblem: () => undefined,
  });
  await jest.advanceTimersByTimeAsync(5000);
  fellows.stop();
  expect(adopted).toEqual(['b', 'c']);
});

it('of which not all could be taken over is said with its name, once for each reason, and no more when this gateway is to stop', async () => {
  const problems: string[] = [];
  const fails: ((cause: Error) => void)[] = [];
  const link = { own: { instance: 'a' }, directory: { role: () => [], instance: () => undefined } };
  const fellows = await Fellows.watch({
    link: link as unknown as RoleLink,
    instances: () => Promise.resolve(['b']),
    adopt: () => new Promise((_, fail) => fails.push(fail)),
    back: () => Promise.resolve(),
    onProblem: (problem, cause) => problems.push(`${problem}: ${String(cause)}`),
  });
  for (const why of ['timeout', 'timeout', 'timeout', 'disk full']) {
    await jest.advanceTimersByTimeAsync(1000);
    fails.at(-1)?.(new Error(why));
  }
  await jest.advanceTimersByTimeAsync(1000);
  fellows.stop();
  fails.at(-1)?.(new Error('connection draining'));
  await jest.advanceTimersByTimeAsync(5000);
  expect(fails).toHaveLength(5);
  expect(problems).toEqual(
    ['timeout', 'disk full'].map((why) => expect.stringMatching(`the gateway b, which is gone.*${why}`) as unknown),
  );
});
