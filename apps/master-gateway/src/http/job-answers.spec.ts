/** Rules of the answers of `local`: who is silent is told as Salt tells it, whatever the target's type. */
import { jobAnswer } from './job-answers.js';
import type { JobNews } from './master-calls.js';

const JID = '20261120141646000001';
const NO_RESPONSE = /^Minion did not return\. \[No response\]\n.*natrium-run jobs\.lookup_jid 20261120141646000001$/s;

function news(part: Partial<JobNews>): JobNews {
  return { jid: JID, minions: ['a', 'b'], missing: [], returns: [], absent: [], ...part };
}

const told = (part: Partial<JobNews>, isFull = false) => jobAnswer(news(part), { isFull, only: undefined });
const RETURN = { id: 'a', ret: 7, retcode: 0, success: true, out: null };

it.each(['no_answer', 'running', 'not_connected'] as const)('a minion that is silent is false: %s', (why) => {
  const absent = [{ id: 'b', why, sentence: null }];
  expect(told({ returns: [RETURN], absent })).toEqual({ a: 7, b: false });
  expect(told({ absent }, true)).toEqual({ b: false });
});

it('an id that no accepted minion has is told in words', () => {
  expect(told({ returns: [RETURN], missing: ['z'] })).toEqual({
    a: 7,
    z: expect.stringMatching(NO_RESPONSE) as string,
  });
  expect(told({ missing: ['z'] }, true)).toMatchObject({ z: { retcode: 1, jid: JID, out: 'no_return' } });
});

it('so is why a minion has refused', () => {
  const absent: JobNews['absent'] = [{ id: 'b', why: 'refused', sentence: 'No.' }];
  expect(told({ absent })).toEqual({ b: 'Minion did not return. [Refused]\nNo.' });
});

it('where nobody is meant there is no job to tell of', () => {
  expect(told({ minions: [], missing: ['z'] })).toEqual({});
});
