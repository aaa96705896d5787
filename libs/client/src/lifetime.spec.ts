/** Rules of how long a request lives: for its own timeout and a minute more, and never longer than a request may. */
import type { Question } from '@natrium/bus';
import { readRequest, SigningKey, sodiumReady } from '@natrium/envelope';
import { MAX_LIFETIME, MAX_TIMEOUT } from '@natrium/model';
import type { contracts } from '@natrium/wire';
import type { Asker } from './asks.js';
import { MasterClient } from './master-client.js';

beforeAll(sodiumReady);

it.each([
  [5, 65_000],
  [MAX_TIMEOUT, MAX_LIFETIME],
])('a run of %d s lives %d ms', async (timeout, lifetime) => {
  const asked: Question<typeof contracts.runner>[] = [];
  const step = { within: (work: () => unknown) => work(), note: () => undefined, end: () => undefined };
  const bus = {
    sealer: { clock: { now: () => 0 }, roles: { cluster: new Uint8Array(32) }, directory: { role: () => [] } },
    tracing: { begin: () => step },
    converse: (
      question: Question<typeof contracts.runner>,
      _: unknown,
      __: number,
      hear: { onFailure(why: string): void },
    ) => {
      asked.push(question);
      hear.onFailure('turned_away');
      return () => undefined;
    },
  };
  const asker = { bus, signing: SigningKey.generate(), subjects: {}, grantRun: null };
  await new MasterClient(asker as unknown as Asker).run({ fun: 'manage.up', args: [], timeout });
  expect(asked.map(({ body }) => readRequest(body.request))).toMatchObject([{ ok: true, value: { lifetime } }]);
});
