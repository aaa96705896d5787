/** Where a connection that is renewed looks for its node first. */
import { settings, startingAt } from './nats-settings.js';

const SERVERS = ['nats://one:4222', 'tls://Two:4222', 'nats://[::1]:4223'];
const options = settings({ servers: SERVERS, name: 'test' });

it.each([
  ['one:4222', SERVERS],
  ['two:4222', [SERVERS[1], SERVERS[2], SERVERS[0]]],
  ['[::1]:4223', [SERVERS[2], SERVERS[0], SERVERS[1]]],
])('from %s on, in its order', (node, servers) => {
  expect(startingAt(node, options)).toEqual({ ...options, servers, noRandomize: true });
});

it.each(['two:4223', ''])('as ever where none is %p', (node) => {
  expect(startingAt(node, options)).toEqual(options);
});
