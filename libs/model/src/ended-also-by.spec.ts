import { getEventListeners } from 'node:events';
import { endedAlsoBy } from './ended-also-by.js';

it('ends by whoever has it, and with any of the others for its reason, the first of them', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const [own, late] = [endedAlsoBy(undefined, one.signal), endedAlsoBy(one.signal, other.signal)];
  expect(own.signal.aborted).toBe(false);
  other.abort('other');
  one.abort('one');
  expect([own.signal.reason, late.signal.reason]).toEqual(['one', 'other']);
  expect(endedAlsoBy(undefined, one.signal).signal.reason).toBe('one');
});

it('listens to nobody any more once it has ended', () => {
  const one = new AbortController();
  const own = endedAlsoBy(one.signal);
  expect(getEventListeners(one.signal, 'abort')).toHaveLength(1);
  own.abort();
  expect(getEventListeners(one.signal, 'abort')).toHaveLength(0);
});
