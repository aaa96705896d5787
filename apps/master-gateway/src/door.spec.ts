/** Rules of the door: who asks too much hears one word and nothing more, and nothing is kept of it; what is taken can leave again. */
import type { Opened } from '@natrium/bus';
import { Budget, type News, type Returned } from '@natrium/flow';
import type { Value } from '@natrium/model';
import type { contracts } from '@natrium/wire';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { Door } from './door.js';
import type { Minions } from './minions.js';
import { Waiting } from './waiting.js';

type Flows = ConstructorParameters<typeof Door>[0];

const NOT_A_REQUEST = { request: new Uint8Array(1), signature: null, credential: null, grantRun: null, batch: null };

const key = new Uint8Array(32);
const PARTY = { owner: { type: 'identity', key }, keyId: new Uint8Array(16), key };
const JID = '20261120141646000001';

/** A door at which one key asks, with a budget of one request. */
class AtTheDoor {
  readonly heard: News[] = [];
  readonly waiting = new Waiting();
  readonly taken: Returned[] = [];
  readonly door = new Door(
    { returns: { handle: (said: Returned) => Promise.resolve(this.taken.push(said) > 0) } } as unknown as Flows,
    { mayHear: () => true, knows: () => true } as unknown as Minions,
    this.waiting,
    { requests: new Budget({ rate: 1e-9, burst: 1 }), returns: new Budget({ rate: 1, burst: 100 }), now: () => 0 },
    pino({ enabled: false }),
  );

  ask(): Promise<void> {
    const opened = {
      body: { ...NOT_A_REQUEST, follow: 'all' },
      party: PARTY,
      answer: (_: unknown, news: News) => {
        this.heard.push(news);
      },
    };
    return this.door.publish(opened as unknown as Opened<typeof contracts.publish>, false);
  }

  async return(ret: Value): Promise<Returned['outcome']> {
    expect(await this.door.returned(returning(ret))).toBe(true);
    return this.taken.at(-1)!.outcome;
  }
}

function returning(ret: Value): Opened<typeof contracts.returned> {
  const body = { jid: JID, status: 'done', code: null, outcome: { ret, retcode: 0, success: true, out: null } };
  return { body, party: PARTY } as unknown as Opened<typeof contracts.returned>;
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

it('a return that is nested too deeply to leave again becomes a sentence; any other is taken as it came', async () => {
  const at = new AtTheDoor();
  const lists = (levels: number): Value =>
    Array.from({ length: levels }).reduce<Value>((inner) => [true, inner], 'inmost');
  const maps = (levels: number): Value =>
    Array.from({ length: levels }).reduce<Value>((inner) => ({ a: 1, b: inner }), null);
  for (const ret of [null, true, 'text', 2n ** 70n, lists(24), maps(24)]) {
    expect(await at.return(ret)).toEqual({ ret, retcode: 0, success: true, out: null });
  }
  const sentence = 'the return is nested too deeply to be sent';
  for (const ret of [lists(25), lists(30), maps(25), maps(30)]) {
    expect(await at.return(ret)).toEqual({ ret: sentence, retcode: 1, success: false, out: null });
  }
});

it('a return that fails at once fails alone: those that came with it are still handed on', async () => {
  const at = new AtTheDoor();
  jest.spyOn(at.taken, 'push').mockImplementationOnce(() => {
    throw new Error('a listener that cannot be told');
  });
  const ends = await Promise.allSettled(['first', 'second'].map((ret) => at.door.returned(returning(ret))));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(at.taken.map(({ outcome }) => outcome.ret)).toEqual(['second']);
});
