import { replicasOf } from './replicas.js';

it.each([
  [1, 1],
  [2, 2],
  [3, 3],
  [5, 3],
])('with %d nodes of the broker, %d hold each value', (nodes, replicas) => {
  expect(replicasOf({ nats: Array.from({ length: nodes }, () => 'nats://n') })).toBe(replicas);
});
