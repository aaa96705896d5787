/** Rules of waiting for a broker that is just starting. */
import { JetStreamApiError } from '@nats-io/jetstream';
import { NotPlaced, triedAnew, whenPlaced } from './when-placed.js';

const LONG_MS = 20_000;

/** As the client tells that nobody answers for JetStream. */
const notEnabled = () => Object.assign(new Error('jetstream is not enabled'), { name: 'JetStreamNotEnabled' });
const noFolder = () =>
  new JetStreamApiError({ code: 500, err_code: 10_077, description: 'error creating store for stream' });
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
