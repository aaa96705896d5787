/** Rules of addresses that are shown: they say where a broker is, and nothing of who may come in. */
import { shownAddress } from './addresses.js';

it.each([
  ['nats://broker.example:4222', 'nats://broker.example:4222'],
  ['nats://s3cret@broker.example:4222', 'nats://broker.example:4222'],
  ['tls://web:p@ss@[::1]:4222', 'tls://[::1]:4222'],
  ['salt.example', 'salt.example'],
  ['web:s3cret@salt.example/path', 'salt.example/path'],
])('%s', (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});
