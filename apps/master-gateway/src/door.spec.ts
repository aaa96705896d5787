/** Rules of the door: who asks too much hears one word and nothing more, and nothing is kept of it. */
import type { Opened } from '@natrium/bus';
import { Budget, type News } from '@natrium/flow';
import type { contracts } from '@natrium/wire';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { Door } from './door.js';
import type { Minions } from './minions.js';
import { Waiting } from './waiting.js';

type Flows = ConstructorParameters<typeof Door>[0];

const NOT_A_REQUEST = { request: new Uint8Array(1), signature: null, credential: null, grantRun: null, batch: null };

/** A door at which one key asks, with a budget of one request. */
class AtTheDoor {
  readonly heard: News[] = [];
  readonly waiting = new Waiting();
  readonly door = new Door(
    {} as Flows,
    { mayHear: () => true, knows: () => true } as unknown as Minions,
    this.waiting,
    { requests: new Budget({ rate: 1e-9, burst: 1 }), returns: new Budget({ rate: 1, burst: 1 }), now: () => 0 },
    pino({ enabled: false }),
  );

  ask(): Promise<void> {
    const key = new Uint8Array(32);
    const opened = {
      body: { ...NOT_A_REQUEST, follow: 'all' },
      party: { owner: { type: 'identity', key }, keyId: new Uint8Array(16), key },
      answer: (_: unknown, news: News) => {
        this.heard.push(news);
      },
    };
    return this.door.publish(opened as unknown as Opened<typeof contracts.publish>, false);
  }
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const codes = ({ heard }: AtTheDoor) => heard.map(({ refusal }) => refusal?.code ?? 'alive');

it('who asks too much is told to slow down, a moment later, and hears nothing more', async () => {
  const at = new AtTheDoor();
  await at.ask();
  expect(codes(at)).toEqual(['bad_request']);
  await at.ask();
  expect(codes(at)).toEqual(['bad_request']);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(codes(at)).toEqual(['bad_request', 'slow_down']);
});

it('who asks so much that he is not even told that hears nothing at all', async () => {
  const at = new AtTheDoor();
  for (let times = 0; times < 10_002; times += 1) await at.ask();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(at.heard).toHaveLength(10_001);
});
