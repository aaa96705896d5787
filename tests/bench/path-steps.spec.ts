/** From what a tap heard to the steps of a call: by the messages of that call alone, and what all of them cost the broker. */
import { breakdown, type Step, stepTimes, type TappedCall } from '../../bench/path-steps.js';

const STEPS: readonly Step[] = [{ name: 'ask', until: 'grant', take: 'first' }];

/** Four milliseconds, with a grant after one; `writes` come after it, at these times. */
function aCall(began: number, writes: readonly number[] = [], before: TappedCall['heard'] = []): TappedCall {
  const written = writes.map((at) => ({ at, kind: 'write jobs.j', bytes: 100 }));
  return { began, ended: began + 4, heard: [...before, { at: began + 1, kind: 'grant', bytes: 50 }, ...written] };
}
const figure = (name: string, calls: readonly TappedCall[]) =>
  breakdown(STEPS, 'back', calls, 1).find(({ metric }) => metric === name)?.value;

it('what is written in groups, in few of the calls, counts in each', () => {
  const calls = [aCall(0), aCall(10), aCall(20, [21, 22]), aCall(30)];
  expect(figure('JetStream writes per call', calls)).toBe(0.5);
  expect(figure('messages on the broker per call', calls)).toBe(1.5);
  expect(figure('bytes on the broker per call', calls)).toBe(100);
});

it('an answer to a write is no write', () => {
  const heard = [{ at: 2, kind: 'write jobs.j answer', bytes: 10 }];
  expect(figure('JetStream writes per call', [aCall(0, [], heard)])).toBe(0);
});

it('what was heard before a call began is no mark of its steps, and counts', () => {
  const left = [{ at: 9, kind: 'grant', bytes: 50 }];
  expect(stepTimes(STEPS, aCall(10, [], left))).toEqual([1, 3]);
  expect(figure('messages on the broker per call', [aCall(10, [], left)])).toBe(2);
});

it('the time of a step is that of most calls', () => {
  const slow: TappedCall = { began: 40, ended: 90, heard: [{ at: 80, kind: 'grant', bytes: 50 }] };
  expect(figure('step 1: ask', [aCall(0), aCall(10), slow])).toBe(1);
});
