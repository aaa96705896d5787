import { lifetimeOf } from './request.js';

it.each([
  [0, 60_000],
  [0.2, 61_000],
  [5, 65_000],
  [86_339, 86_399_000],
  [86_341, 86_400_000],
  [86_400, 86_400_000],
])('a request that is waited for %d s lives %d ms', (timeout, lifetime) => {
  expect(lifetimeOf(timeout)).toBe(lifetime);
});
