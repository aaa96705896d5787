/**
 * Rules of the door: who asks too much hears one word and nothing more, and nothing is kept of it; who is not accepted any more hears
 * nothing and tells nothing; what is taken can leave again.
 */
import { type Opened, StreamRefused } from '@natrium/bus';
import { encodeRequest, sodiumReady } from '@natrium/envelope';
import { Budget, type News, refused, type Returned, type Tell } from '@natrium/flow';
import { refusal, type Value } from '@natrium/model';
import { aRequest } from '@natrium/testing';
import type { Body, contracts } from '@natrium/wire';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { Door } from './door.js';
import type { Minions } from '../minions/minions.js';
import { Waiting } from './waiting.js';

type Flows = ConstructorParameters<typeof Door>[0];
type Ran = Body<typeof contracts.ran>;

interface Asking {
  readonly request: Uint8Array;
  readonly credential: { readonly token: string } | null;
}

const NOT_A_REQUEST = { request: new Uint8Array(1), signature: null, credential: null, grantRun: null, batch: null };

const partyWith = (key: Uint8Array) => ({ owner: { type: 'identity', key }, keyId: new Uint8Array(16), key });
const PARTY = partyWith(new Uint8Array(32));
const OTHER = partyWith(new Uint8Array(32).fill(1));
const JID = '20261120141646000001';
const BEGUN: News = {
  refusal: null,
  started: { jid: JID, minions: [], missing: [], rule: '' },
  returns: [],
  end: null,
};
const ENDED: News = { refusal: null, started: null, returns: [], end: [] };
beforeAll(sodiumReady);

/** A door at which one key asks, with a budget of one request and, in the same time, of a hundred returns. */
class AtTheDoor {
  readonly heard: News[] = [];
  readonly ran: Ran[] = [];
  /** What the gateway knows of that key. */
  standing = { isAccepted: true, hasSucceeded: false };
  /** Tells news of the job that was let in. */
  tell: Tell = () => {
    throw new Error('no job was let in');
  };
  /** Tells what came of the run that was let in, which then has ended. */
  tellRan: (ran: Ran) => void = () => {
    throw new Error('no run was let in');
  };
  /** What the log says of trouble. */
  readonly said: string[] = [];
  readonly waiting = new Waiting();
  readonly taken: Returned[] = [];
  /** Of whom returns were heard. */
  readonly returners: unknown[] = [];
  readonly door = new Door(
    {
      returns: {
        handle: (said: Returned) =>
          new Promise((resolve) => {
            resolve(this.taken.push(said) > 0);
          }),
      },
      twoAtOnce: { heard: (party: unknown) => this.returners.push(party) },
      publish: { handle: (...[, , , tell]: [unknown, unknown, unknown, Tell]) => (this.tell = tell) },
      run: {
        handle: (_: unknown, __: unknown, tell: (ran: Ran) => void) =>
          new Promise<void>((resolve) => {
            this.tellRan = (ran) => {
              tell(ran);
              resolve();
            };
          }),
      },
    } as unknown as Flows,
    {
      mayHear: () => this.standing.isAccepted || this.standing.hasSucceeded,
      knows: () => this.standing.isAccepted,
    } as unknown as Minions,
    this.waiting,
    { requests: new Budget({ rate: 1e-9, burst: 1 }), returns: new Budget({ rate: 1, burst: 100 }), now: () => 0 },
    pino(
      { level: 'error' },
      { write: (line: string) => void this.said.push((JSON.parse(line) as { msg: string }).msg) },
    ),
  );

  ask(request: Partial<Asking> = {}, party = PARTY): Promise<void> {
    const opened = {
      body: { ...NOT_A_REQUEST, ...request, follow: 'all' },
      party,
      answer: (_: unknown, news: News) => {
        this.heard.push(news);
      },
    };
    return this.door.publish(opened as unknown as Opened<typeof contracts.publish>, false);
  }

  /** Resolves when the run is over. */
  askRun(): Promise<void> {
    const opened = {
      body: { ...NOT_A_REQUEST, request: encodeRequest(aRequest(0, { what: 'run' })), follow: 'all' },
      party: PARTY,
      answer: (_: unknown, ran: Ran) => this.ran.push(ran),
    };
    return this.door.run(opened as unknown as Opened<typeof contracts.runner>, false);
  }

  /** A job whose caller has heard that it began. */
  async askJob(request: Partial<Asking> = {}): Promise<void> {
    await this.ask({ request: encodeRequest(aRequest(0)), ...request });
    await this.hear(BEGUN);
    expect(this.heard).toEqual([BEGUN]);
  }

  async hear(news: News): Promise<void> {
    this.tell(news);
    await jest.advanceTimersByTimeAsync(10);
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
  expect(Object.fromEntries(at.door.refusals.counts)).toEqual({ bad_request: 1, slow_down: 1 });
});

it.each([
  ['who has no key asks as often as one caller, however many keys he makes', false, ['bad_request', 'slow_down']],
  ['callers whose keys are accepted have a budget each', true, ['bad_request', 'bad_request']],
])('%s', async (_about, isAccepted, heard) => {
  const at = new AtTheDoor();
  at.standing.isAccepted = isAccepted;
  const token = { credential: { token: 't' } };
  for (const party of [PARTY, OTHER]) await at.ask(token, party);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(codes(at)).toEqual(heard);
});

it('who asks so much that he is not even told that hears nothing at all', async () => {
  const at = new AtTheDoor();
  for (let times = 0; times < 10_002; times += 1) await at.ask();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(at.heard).toHaveLength(10_001);
  expect(at.door.refusals.counts.get('slow_down')).toBe(10_001);
});

it('a caller whose key is taken away hears nothing more of its jobs but a refusal', async () => {
  const at = new AtTheDoor();
  await at.askJob();
  at.standing.isAccepted = false;
  await at.hear(BEGUN);
  await at.hear(ENDED);
  expect(at.heard).toEqual([BEGUN]);
  const other = new AtTheDoor();
  await other.askJob();
  other.standing.isAccepted = false;
  await other.hear(refused(refusal('not_permitted', 'no')));
  expect(other.heard).toHaveLength(2);
});

it.each<[string, Ran, number]>([
  ['answered', { refusal: null, jid: JID, outcome: { ret: 'secret', retcode: 0, success: true, out: null } }, 1],
  ['was refused', { refusal: refusal('no_runner_available', 'no'), jid: JID, outcome: null }, 2],
])('nor of its run, which goes on, but a refusal: it %s', async (_about, ran, heard) => {
  const at = new AtTheDoor();
  const over = at.askRun();
  await jest.advanceTimersByTimeAsync(1000);
  at.standing.isAccepted = false;
  await jest.advanceTimersByTimeAsync(10_000);
  at.tellRan(ran);
  await over;
  expect(at.ran).toHaveLength(heard);
});

it.each<[string, Partial<Asking>, boolean]>([
  ['has another identity now', {}, true],
  ['has no key, but a token', { credential: { token: 't' } }, false],
])('a caller that %s hears its jobs out', async (_about, request, hasSucceeded) => {
  const at = new AtTheDoor();
  await at.askJob(request);
  at.standing = { isAccepted: false, hasSucceeded };
  await at.hear(ENDED);
  expect(at.heard).toEqual([BEGUN, ENDED]);
  expect(at.door.refusals.counts.size).toBe(0);
});

it('who is not accepted has no job and no return taken', async () => {
  const at = new AtTheDoor();
  at.standing.isAccepted = false;
  await at.ask({ request: encodeRequest(aRequest(0)) });
  expect(codes(at)).toEqual(['not_accepted']);
  expect(() => {
    at.tell(BEGUN);
  }).toThrow('no job was let in');
  expect([await at.door.returned(returning('ret')), at.taken, at.returners]).toEqual([false, [], []]);
});

it('who returns too much has no more taken: its spool keeps that and sends it again', async () => {
  const at = new AtTheDoor();
  const stored: boolean[] = [];
  for (let times = 0; times < 101; times += 1) stored.push(await at.door.returned(returning(times)));
  expect([stored.indexOf(false), at.taken.length, at.returners.length]).toEqual([100, 100, 100]);
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

const named = (name: string) => Object.assign(new Error('the broker is away'), { name });

it.each([new StreamRefused(503, 'no leader'), ...['TimeoutError', 'NoResponders', 'ClosedConnectionError'].map(named)])(
  'a return that cannot be stored is not taken, so that its minion sends it again; of many that is said once: %s',
  async (cause) => {
    const at = new AtTheDoor();
    jest.spyOn(at.taken, 'push').mockImplementation(() => {
      throw cause;
    });
    const ends = await Promise.allSettled([1, 2, 3].map((ret) => at.door.returned(returning(ret))));
    expect(ends).toEqual([1, 2, 3].map(() => ({ status: 'fulfilled', value: false })));
    expect(at.said).toEqual(['returns cannot be stored: their minions keep them and send them again']);
  },
);

it('a return that fails at once fails alone: those that came with it are still handed on', async () => {
  const at = new AtTheDoor();
  jest.spyOn(at.taken, 'push').mockImplementationOnce(() => {
    throw new Error('a listener that cannot be told');
  });
  const ends = await Promise.allSettled(['first', 'second'].map((ret) => at.door.returned(returning(ret))));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(at.taken.map(({ outcome }) => outcome.ret)).toEqual(['second']);
});
