/** Rules of a store's failures: whatever the broker's client throws is one, and nothing that a program does wrong. */
import { JetStreamApiError, JetStreamError } from '@nats-io/jetstream';
import {
  ClosedConnectionError,
  ConnectionError,
  DrainingConnectionError,
  NoRespondersError,
  RequestError,
  TimeoutError,
} from '@nats-io/nats-core';
import { StreamRefused } from '../streams/stream-publisher.js';
import { isStoreFailure } from './store-failure.js';

it.each([
  new StreamRefused(408, 'no acknowledgement in time'),
  new JetStreamApiError({ code: 503, err_code: 10_008, description: 'temporarily unavailable' }),
  new JetStreamError('no'),
  new TimeoutError(),
  new NoRespondersError('$JS.API'),
  new RequestError('no'),
  new ConnectionError('no'),
  new ClosedConnectionError(),
  new DrainingConnectionError(),
])('%s is one', (cause) => {
  expect(isStoreFailure(cause)).toBe(true);
});

it.each([
  new TypeError('x is not a function'),
  new Error('Error'),
  'TimeoutError',
  undefined,
  { name: 'TimeoutError' },
])('%s is none', (cause) => {
  expect(isStoreFailure(cause)).toBe(false);
});
