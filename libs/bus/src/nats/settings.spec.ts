/** Where a connection that is renewed looks for its node first. */
import { settings, startingAt } from './settings.js';

const SERVERS = ['nats://one:4222', 'tls://Two:4222', 'nats://[::1]:4223'] as const;
const options = settings({ servers: SERVERS, name: 'test' });
const orderAt = (node: string) => startingAt(node, options).servers as readonly string[];

it.each([
  ['one:4222', SERVERS[0]],
  ['two:4222', SERVERS[1]],
  ['[::1]:4223', SERVERS[2]],
])('%s is first, and stays it', (node, first) => {
  const servers = orderAt(node);
  expect([servers[0], servers.toSorted()]).toEqual([first, SERVERS.toSorted()]);
  expect(startingAt(node, options)).toEqual({ ...options, servers: expect.anything() as unknown, noRandomize: true });
});

it('the others come in any order: who loses this node does not go where all the others go', () => {
  const second = Array.from({ length: 100 }, () => orderAt('one:4222')[1]);
  expect(new Set(second)).toEqual(new Set(SERVERS.slice(1)));
});

it.each(['two:4223', ''])('as ever where none is %p', (node) => {
  expect(startingAt(node, options)).toEqual(options);
});

it('as ever where one name is all there is: it may be that of several nodes', () => {
  const single = settings({ servers: ['nats://broker:4222'], name: 'test' });
  expect(startingAt('broker:4222', single)).toEqual(single);
});
