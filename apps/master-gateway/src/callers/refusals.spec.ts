/** Rules of counting refusals: each code has a figure of its own, as many as there are codes, whatever a service answers. */
import { Refusals } from './refusals.js';

it('counts each code, and together whatever is none', () => {
  const refusals = new Refusals();
  const codes = ['not_permitted', 'slow_down', 'not_permitted', 'made up', '__proto__', 'made up by another'];
  for (const code of codes) refusals.count({ code });
  refusals.count(null);
  expect([...refusals.counts]).toEqual([
    ['not_permitted', 2],
    ['slow_down', 1],
    ['other', 3],
  ]);
});
