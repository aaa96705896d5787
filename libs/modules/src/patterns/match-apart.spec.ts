import { setImmediate as turn } from 'node:timers/promises';
import { matching } from './match-apart.js';

it('a pattern that takes for ever is given up after a while, and holds up nothing meanwhile', async () => {
  let isGivenUp = false;
  const searching = matching({ source: '^(a+)+$x', flags: 0 }, ['a'.repeat(40)], 500).finally(() => (isGivenUp = true));
  await turn();
  expect(isGivenUp).toBe(false);
  await expect(searching).rejects.toThrow('the pattern was given up after 0.5 seconds');
});

it('the texts that match are told', async () => {
  expect(await matching({ source: '^b', flags: 2 }, ['abc', 'bc', 'Bc'])).toEqual(['bc', 'Bc']);
});
