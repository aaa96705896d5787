/** Rules of telling a caller: few messages, nothing left out, and no more work for many returns than for each of them. */
import { jest } from '@jest/globals';
import { type News, NO_NEWS } from '@natrium/flow';
import { parseJid } from '@natrium/model';
import { NewsTeller } from './news-teller.js';

const aReturn = (n: number) => ({ id: `web${String(n)}`, ret: n, retcode: 0, success: true, out: null });
const STARTED = { jid: parseJid('20261120141646000001')!, minions: ['web1'], missing: [], rule: '' };

/** Counts how often it is walked through. */
class Counted<T> extends Array<T> {
  static walks = 0;

  override [Symbol.iterator](): ArrayIterator<T> {
    Counted.walks += 1;
    return super[Symbol.iterator]();
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('what a caller is told', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is in one message what came in one turn, in its order, and each return is taken up once', async () => {
    const told: News[] = [];
    const teller = new NewsTeller((news) => told.push(news), 0);
    teller.tell({ ...NO_NEWS, started: STARTED });
    for (let n = 0; n < 200; n += 1) teller.tell({ ...NO_NEWS, returns: Counted.of(aReturn(n)) });
    expect(told).toEqual([]);
    await turn();
    expect(told.map(({ started, returns }) => [started, returns.length])).toEqual([[STARTED, 200]]);
    expect(told[0]?.returns.map(({ ret }) => ret)).toEqual(Array.from({ length: 200 }, (_, n) => n));
    expect(Counted.walks).toBe(200);
  });

  it('is the first return at once, and then what comes in the next milliseconds together', () => {
    jest.useFakeTimers();
    const told: (readonly string[])[] = [];
    const teller = new NewsTeller(({ returns }) => told.push(returns.map(({ id }) => id)), 0);
    const tell = (n: number) => {
      teller.tell({ ...NO_NEWS, returns: [aReturn(n)] });
    };
    teller.tell({ ...NO_NEWS, started: STARTED });
    jest.advanceTimersByTime(1);
    tell(1);
    jest.advanceTimersByTime(1);
    expect(told).toEqual([[], ['web1']]);
    tell(2);
    jest.advanceTimersByTime(2);
    tell(3);
    expect(told).toHaveLength(2);
    jest.advanceTimersByTime(3);
    expect(told.slice(2)).toEqual([['web2', 'web3']]);
    jest.advanceTimersByTime(10);
    tell(4);
    jest.advanceTimersByTime(1);
    expect(told.slice(3)).toEqual([['web4']]);
    tell(5);
    teller.tell({ ...NO_NEWS, returns: [aReturn(6)], end: [] });
    expect(told.slice(4)).toEqual([['web5', 'web6']]);
  });

  it('is in several messages when very much came in one turn: the first is read while the last still comes', () => {
    jest.useFakeTimers();
    const told: News[] = [];
    const teller = new NewsTeller((news) => told.push(news), 0);
    for (let n = 0; n < 600; n += 1) teller.tell({ ...NO_NEWS, returns: [aReturn(n)] });
    expect(told.map(({ returns }) => returns.length)).toEqual([256, 256]);
    jest.advanceTimersByTime(5);
    expect(told.flatMap(({ returns }) => returns.map(({ ret }) => ret))).toEqual(
      Array.from({ length: 600 }, (_, n) => n),
    );
  });

  it('leaves at once with the end, and nothing of it is told again', async () => {
    const told: News[] = [];
    const teller = new NewsTeller((news) => told.push(news), 0);
    const first = { ...NO_NEWS, returns: [aReturn(1)] };
    teller.tell(first);
    teller.tell({ ...NO_NEWS, returns: [aReturn(2)], end: [] });
    expect(told.map(({ returns, end }) => [returns.map(({ id }) => id), end])).toEqual([[['web1', 'web2'], []]]);
    await turn();
    expect(told).toHaveLength(1);
    // What it was given is not its own: another caller of the same job is told it as well.
    expect(first.returns).toHaveLength(1);
    expect(teller.isOver).toBe(true);
  });

  it('is nothing more after the end', () => {
    const told: News[] = [];
    const teller = new NewsTeller((news) => told.push(news), 0);
    teller.tell({ ...NO_NEWS, end: [] });
    teller.tell({ ...NO_NEWS, end: [] });
    teller.tellAlive();
    expect(told).toHaveLength(1);
  });

  it('is in as many messages as the broker takes when all was told at once, with the start first and the end last', () => {
    const told: News[] = [];
    const teller = new NewsTeller((news) => told.push(news), 0);
    const large = (bytes: number) => (n: number) => ({ ...aReturn(n), ret: 'x'.repeat(bytes) });
    const returns = Array.from({ length: 2000 }, (_, n) => large(8 << 10)(n));
    const end = [{ id: 'gone', why: 'not_connected' as const, sentence: null }];
    teller.tell({ ...NO_NEWS, started: STARTED });
    teller.tell({ ...NO_NEWS, returns, end });
    expect(told.length).toBeGreaterThan(3);
    for (const news of told) expect(JSON.stringify(news).length).toBeLessThan(4 << 20);
    expect(told.flatMap((news) => news.returns.map(({ id }) => id))).toEqual(returns.map(({ id }) => id));
    expect(told.map(({ started }) => started)).toEqual([STARTED, ...told.slice(1).map(() => null)]);
    expect(told.map((news) => news.end)).toEqual([...told.slice(1).map(() => null), end]);
  });

  it('has a return that nobody can divide in a message of its own, and what came with it in others', () => {
    const told: News[] = [];
    const teller = new NewsTeller((news) => told.push(news), 0);
    const large = { ...aReturn(2), ret: 'x'.repeat(6 << 20) };
    teller.tell({ ...NO_NEWS, started: STARTED, returns: [aReturn(1), large, aReturn(3)], end: [] });
    expect(told.map(({ returns }) => returns.map(({ id }) => id))).toEqual([['web1'], ['web2'], ['web3']]);
    const last: News[] = [];
    new NewsTeller((news) => last.push(news), 0).tell({ ...NO_NEWS, returns: [large], end: [] });
    expect(last.map(({ returns, end }) => [returns.length, end])).toEqual([
      [1, null],
      [0, []],
    ]);
  });

  it('ends where it cannot be sent: nothing escapes, and no end says that the rest never came', async () => {
    const failures: unknown[] = [];
    let tries = 0;
    const send = () => {
      tries += 1;
      throw new Error('nested deeper than 32 levels');
    };
    for (const first of [
      (teller: NewsTeller) => teller.tell({ ...NO_NEWS, returns: [aReturn(1)] }),
      (teller: NewsTeller) => teller.tellAlive(),
    ]) {
      const teller = new NewsTeller(send, 0, false, (cause) => failures.push(cause));
      first(teller);
      await turn();
      expect([teller.isOver, tries]).toEqual([true, failures.length]);
      teller.tell({ ...NO_NEWS, end: [] });
      teller.tellAlive();
      await turn();
    }
    expect([tries, failures.length]).toEqual([2, 2]);
  });
});
