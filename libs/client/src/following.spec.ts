/** Rules of following a job: it is asked for again when its gateway is silent, and no word of "not now" is taken for its end then. */
import { jest } from '@jest/globals';
import type { AskFailure } from '@natrium/bus';
import type { contracts } from '@natrium/wire';
import { AskedBus } from './asked-bus.spec-support.js';
import { Following, type News } from './following.js';

const PATIENCE_S = 15;
const news = (part: Partial<News>): News => ({ refusal: null, started: null, returns: [], end: null, ...part });
const refused = (code: string) => news({ refusal: { code, sentence: `${code}: nothing was sent` } });
const ret = (id: string) => ({ id, ret: true, retcode: 0, success: true, out: null }) as unknown as News['returns'][0];

const start = (...minions: string[]) => ({ jid: '20261126000000000000', minions, missing: [], rule: '' });
const running = (id: string) => ({ id, why: 'running' as const, sentence: null });

/** The gateways, and what their caller is told of the job. */
class Gateways {
  readonly told: string[] = [];
  /** Of who is missing at the end. */
  readonly sentences: (string | null)[] = [];
  readonly #asked = new AskedBus<typeof contracts.news>();

  constructor() {
    new Following(this.#asked.bus, undefined as never, PATIENCE_S * 1000, {
      onNews: ({ refusal, returns, end }) => {
        this.told.push(...returns.map(({ id }) => id));
        if (refusal !== null) this.told.push(refusal.code);
        if (end !== null) this.told.push('end', ...end.map(({ id, why }) => `${id}: ${why}`));
        this.sentences.push(...(end ?? []).map(({ sentence }) => sentence));
        return refusal !== null || end !== null;
      },
      onFailure: (failure: AskFailure) => {
        this.told.push(`failed: ${failure}`);
      },
    }).start();
  }

  get times(): number {
    return this.#asked.times;
  }

  says(said: News, to = this.times - 1): void {
    this.#asked.says(said, to);
  }

  fails(failure: AskFailure): void {
    this.#asked.fails(failure, this.times - 1);
  }
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1000);

it.each(['acl_unavailable', 'store_unavailable', 'slow_down', 'not_permitted'])(
  '%s is told at once when it answers the first request',
  (code) => {
    const gateways = new Gateways();
    gateways.says(refused(code));
    expect([gateways.told, gateways.times]).toEqual([[code], 1]);
  },
);

it.each(['acl_unavailable', 'store_unavailable', 'slow_down'])(
  'after a silence %s says nothing of the job: it is asked for again, and its returns are heard',
  async (code) => {
    const gateways = new Gateways();
    await seconds(4);
    expect(gateways.times).toBe(2);
    gateways.says(refused(code));
    await seconds(2);
    expect([gateways.told, gateways.times]).toEqual([[], 3]);
    gateways.says(news({ started: start('a'), returns: [ret('a')], end: [] }));
    expect(gateways.told).toEqual(['a', 'end']);
  },
);

it.each(['turned_away', 'no_responders', 'nobody_known'] as const)('one that failed is told at once: %s', (failure) => {
  const gateways = new Gateways();
  gateways.fails(failure);
  expect([gateways.told, gateways.times]).toEqual([[`failed: ${failure}`], 1]);
});

it('after a silence that nobody is there says nothing of the job either', async () => {
  const gateways = new Gateways();
  await seconds(4);
  gateways.fails('no_responders');
  await seconds(0.3);
  gateways.says(refused('acl_unavailable'));
  await seconds(1.1);
  expect([gateways.told, gateways.times]).toEqual([[], 4]);
});

it('after a silence another refusal is told', async () => {
  const gateways = new Gateways();
  await seconds(4);
  gateways.says(refused('not_permitted'));
  expect(gateways.told).toEqual(['not_permitted']);
});

it.each(['request_expired', 'not_permitted', 'not_accepted'])(
  'of a job that has begun %s is no refusal, which says that nothing was sent: it is why its end is not known',
  async (code) => {
    const gateways = new Gateways();
    gateways.says(news({ started: start('a', 'b', 'c'), returns: [ret('a')] }));
    await seconds(4);
    gateways.says(refused(code));
    expect([gateways.told, gateways.times]).toEqual([['a', 'end', 'b: no_answer', 'c: no_answer'], 2]);
    const sentence = `its gateway is gone, and another one does not go on with the job: ${code}`;
    expect(gateways.sentences).toEqual([sentence, sentence]);
  },
);

it('patience ends, also with gateways that never can: nobody answered is what is told then, and nothing is asked any more', async () => {
  const gateways = new Gateways();
  await seconds(4);
  for (let n = 0; n < PATIENCE_S && gateways.told.length === 0; n += 1) {
    gateways.says(refused('acl_unavailable'));
    await seconds(1.1);
  }
  expect(gateways.told).toEqual(['failed: timeout']);
  const { times } = gateways;
  await seconds(60);
  expect(gateways.times).toBe(times);
});

it('so it does with gateways that say each second that they are there, and then that they cannot', async () => {
  const gateways = new Gateways();
  await seconds(4);
  for (let n = 0; n < PATIENCE_S && gateways.told.length === 0; n += 1) {
    gateways.says(news({}));
    await seconds(1);
    gateways.says(refused('acl_unavailable'));
    await seconds(1.1);
  }
  expect(gateways.told).toEqual(['failed: timeout']);
  expect(gateways.times).toBeLessThan(PATIENCE_S / 2 + 2);
});

describe('an end that lacks a return', () => {
  let gateways: Gateways;
  beforeEach(() => {
    gateways = new Gateways();
    gateways.says(news({ started: start('a', 'b', 'c') }));
    gateways.says(news({ returns: [ret('a')] }));
    gateways.says(news({ end: [running('c')] }));
  });

  it('is not told: the job is asked for again, and what was lost is heard', () => {
    expect([gateways.told, gateways.times]).toEqual([['a'], 2]);
    gateways.says(news({ started: start('a', 'b', 'c') }));
    gateways.says(news({ returns: [ret('a'), ret('b')], end: [running('c')] }));
    expect([gateways.told, gateways.times]).toEqual([['a', 'b', 'end', 'c: running'], 2]);
  });

  it('is told when the third of them lacks it still, with who is missing', () => {
    for (let n = 0; n < 2; n += 1) gateways.says(news({ started: start('a', 'b', 'c'), end: [running('c')] }));
    expect([gateways.told, gateways.times]).toEqual([['a', 'end', 'c: running', 'b: no_answer'], 3]);
  });

  it('is told when the job is refused by now', () => {
    gateways.says(refused('request_expired'));
    expect([gateways.told, gateways.times]).toEqual([['a', 'end', 'c: running', 'b: no_answer'], 2]);
  });

  it('is told when nobody answers any more', async () => {
    await seconds(PATIENCE_S + 3);
    expect(gateways.told).toEqual(['a', 'end', 'c: running', 'b: no_answer']);
  });
});

it('an end whose start was lost is not told: the job is asked for again', () => {
  const gateways = new Gateways();
  gateways.says(news({ end: [] }));
  expect([gateways.told, gateways.times]).toEqual([[], 2]);
  gateways.says(news({ started: start('a'), returns: [ret('a')], end: [] }));
  expect([gateways.told, gateways.times]).toEqual([['a', 'end'], 2]);
});
