/** Rules of waiting for a broker that is just starting. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { JetStreamApiError } from '@nats-io/jetstream';
import { startBroker } from '@natrium/testing';
import { NatsTransport } from '../nats/nats-transport.js';
import { openBucket } from '../storage/nats-store.js';
import { NotPlaced, triedAnew, whenPlaced } from './when-placed.js';

const LONG_MS = 20_000;

/** As the client tells that nobody answers for JetStream. */
const notEnabled = () => Object.assign(new Error('jetstream is not enabled'), { name: 'JetStreamNotEnabled' });
const noFolder = () =>
  new JetStreamApiError({ code: 500, err_code: 10_049, description: 'error creating store for stream' });
const noPlace = () => new JetStreamApiError({ code: 400, err_code: 10_005, description: 'no suitable peers' });

function aPlace(...failures: readonly (() => Error)[]) {
  let tries = 0;
  const told: string[] = [];
  const make = () => {
    const failure = failures[Math.min(tries, failures.length - 1)];
    tries += 1;
    return tries > failures.length || failure === undefined ? Promise.resolve('made') : Promise.reject(failure());
  };
  const patience = (forMs: number) => ({ forMs, tell: (sentence: string) => told.push(sentence) });
  const place = (forMs: number) => whenPlaced('NT_x', patience(forMs), make);
  return { told, tries: () => tries, place, ask: () => triedAnew(make) };
}

it.each([
  ['nobody answers for JetStream yet', notEnabled],
  ['it still tries the account’s folder', noFolder],
  ['a node is missing', noPlace],
])('what cannot be made while %s is made when it can', async (_, failure) => {
  const { place, told } = aPlace(failure, failure);
  expect(await place(LONG_MS)).toBe('made');
  expect(told).toHaveLength(2);
});

it('a bucket whose folder the broker cannot make yet is made when it can', async () => {
  const broker = await startBroker();
  const transport = await NatsTransport.connect({ servers: [broker.url], name: 'test' });
  try {
    const folder = join(broker.storeDir, '$G', 'streams', 'KV_NT_x');
    mkdirSync(dirname(folder), { recursive: true });
    writeFileSync(folder, 'a file where the folder belongs');
    const told: string[] = [];
    const tell = (sentence: string) => {
      if (told.push(sentence) === 1) rmSync(folder, { force: true });
    };
    const bucket = await openBucket(transport, {
      name: 'NT_x',
      replicas: 1,
      ttlMs: 0,
      patience: { forMs: LONG_MS, tell },
    });
    expect(await bucket.put('a', Buffer.from('1'))).toBe(1);
    expect(told).toEqual([
      expect.stringContaining('error creating store for stream'),
      expect.stringContaining('NT_x is there'),
    ]);
  } finally {
    await transport.drain();
    await broker.stop();
  }
});

it.each([
  ['without JetStream', notEnabled, 'jetstream is not enabled'],
  ['whose disk takes nothing', noFolder, 'error creating store for stream'],
])(
  'a broker %s is not waited for as long as nodes are',
  async (_, failure, sentence) => {
    const { place } = aPlace(...Array.from({ length: 99 }, () => failure));
    await expect(place(60_000)).rejects.toThrow(sentence);
  },
  LONG_MS,
);

it('nodes are waited for until patience is over, and the error says what to do', async () => {
  const { place } = aPlace(...Array.from({ length: 99 }, () => noPlace));
  await expect(place(300)).rejects.toThrow(NotPlaced);
});

it('any other failure is told at once', async () => {
  const { place, tries } = aPlace(() => new Error('other'), notEnabled);
  await expect(place(LONG_MS)).rejects.toThrow('other');
  expect(tries()).toBe(1);
});

const timedOut = () => Object.assign(new Error('timeout'), { name: 'TimeoutError' });

it('a node that died while it was asked is no failure: the next one is asked', async () => {
  const { ask, tries } = aPlace(timedOut, notEnabled, noPlace);
  expect(await ask()).toBe('made');
  expect(tries()).toBe(4);
});

it('what no other node would answer otherwise is asked once', async () => {
  const { ask, tries } = aPlace(() => new Error('other'), notEnabled);
  await expect(ask()).rejects.toThrow('other');
  expect(tries()).toBe(1);
});
