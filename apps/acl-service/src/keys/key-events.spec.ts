/** Rules of what the bus is told of keys: gateways that are away, or only slow, hear it later, of each minion in its order; nothing waits for them, and what waits is bounded. */
import { jest } from '@jest/globals';
import type { RoleLink } from '@natrium/edge';
import { err, ok, refusal, type RefusalCode, type Result } from '@natrium/model';
import { KeyEvents, MAX_WAITING } from './key-events.js';

type Answer = 'taken' | 'timeout' | 'no_responders' | RefusalCode;
interface Said {
  readonly act: string;
  readonly id: string;
}
interface Question {
  readonly body: { readonly data: Said; readonly lane: Uint8Array; readonly number: number };
}
const KEY = new Uint8Array(32);

/** What an acl-service tells, and its gateways as the test has them. */
class Told {
  /** What each event is answered; undefined: nothing yet. */
  answers: (act: string, id: string) => Answer | undefined = () => 'taken';
  /** Each question, answered or not. */
  readonly asked: string[] = [];
  /** The place of each question: by it gateways know what was asked before. */
  readonly places: string[] = [];
  readonly waits: number[] = [];
  readonly taken: string[] = [];
  readonly logged: unknown[][] = [];
  readonly #open: { readonly event: string; readonly end: (answer: Answer) => void }[] = [];
  readonly events: KeyEvents;

  constructor() {
    const log = (...said: unknown[]) => void this.logged.push(said);
    const link = {
      bus: {
        ask: ({ body }: Question, _: unknown, ms: number) => {
          this.places.push(`${Buffer.from(body.lane).toString('hex')} ${String(body.number)}`);
          return this.#ask(body.data, ms);
        },
      },
      subjects: { svcGw: () => 'fire' },
      directory: { role: () => [] },
    } as unknown as RoleLink;
    this.events = new KeyEvents(link, { error: log });
  }

  /** Answers what was asked and has none yet. */
  async answer(event: string, answer: Answer): Promise<void> {
    const at = this.#open.findIndex((one) => one.event === event);
    this.#open.splice(at, 1)[0]?.end(answer);
    await jest.advanceTimersByTimeAsync(0);
  }

  #ask({ act, id }: Said, ms: number): Promise<Result<unknown, string>> {
    this.asked.push(`${act} ${id}`);
    this.waits.push(ms);
    const answer = this.answers(act, id);
    return new Promise((resolve) => {
      const end = (how: Answer) => {
        if (how === 'taken') this.taken.push(`${act} ${id}`);
        resolve(answerOf(how));
      };
      if (answer === undefined) this.#open.push({ event: `${act} ${id}`, end });
      else end(answer);
    });
  }
}

function answerOf(how: Answer): Result<unknown, string> {
  if (how === 'timeout' || how === 'no_responders') return err(how);
  return ok({ body: { refusal: how === 'taken' ? null : refusal(how, `no: ${how}`) } });
}

let told: Told;
beforeEach(() => {
  jest.useFakeTimers();
  told = new Told();
});
afterEach(() => {
  jest.useRealTimers();
});

const passed = (seconds = 0) => jest.advanceTimersByTimeAsync(1000 * seconds);

it('what becomes of keys is told at once, and of many side by side', async () => {
  told.answers = () => undefined;
  told.events.asked('web1', KEY, 'pending');
  told.events.decided('web2', 'accepted');
  told.events.succeeded('web3');
  told.events.decided('web4', 'pending');
  expect(told.asked).toEqual(['pend web1', 'accept web2', 'succeed web3']);
  await passed();
  expect(told.logged).toEqual([]);
});

it.each(['timeout', 'no_responders', 'store_unavailable'] as const)('is told again until a gateway takes it, after %s', async (no) => {
  told.answers = () => no;
  for (const id of ['web1', 'web2', 'web3']) told.events.decided(id, 'accepted');
  await passed(3600);
  expect([told.taken, told.logged]).toEqual([[], []]);
  told.answers = () => 'taken';
  told.events.decided('web1', 'deleted');
  await passed(1);
  expect(told.taken).toEqual(['accept web1', 'accept web2', 'accept web3', 'delete web1']);
}); // prettier-ignore

it('of one minion in its order: none before its predecessor is taken', async () => {
  told.answers = (act) => (act === 'pend' ? undefined : 'taken');
  told.events.asked('web1', KEY, 'pending');
  told.events.decided('web1', 'accepted');
  told.events.decided('web1', 'deleted');
  await told.answer('pend web1', 'timeout');
  await passed(1);
  await told.answer('pend web1', 'taken');
  await passed(1);
  expect(told.taken).toEqual(['pend web1', 'accept web1', 'delete web1']);
});

it('while nobody takes it one is told at a time, and who is silent is asked less and less', async () => {
  told.answers = () => undefined;
  for (const id of ['web1', 'web2']) told.events.decided(id, 'accepted');
  for (const id of ['web2', 'web1', 'web1', 'web1', 'web1', 'web1', 'web1']) {
    await told.answer(`accept ${id}`, 'timeout');
    await passed(1);
  }
  expect(told.asked.slice(2)).toEqual(Array(6).fill('accept web1'));
  expect(told.waits.slice(2)).toEqual([30_000, 60_000, 60_000, 60_000, 60_000, 60_000]);
});

it('what is told again is told at its place, and another event at another', async () => {
  told.answers = () => undefined;
  told.events.decided('web1', 'accepted');
  told.events.decided('web2', 'accepted');
  await told.answer('accept web1', 'timeout');
  await told.answer('accept web2', 'taken');
  told.answers = () => 'taken';
  await passed(1);
  told.events.decided('web3', 'accepted');
  await passed();
  expect(told.asked).toEqual(['accept web1', 'accept web2', 'accept web1', 'accept web3']);
  const [web1, web2, again, web3 = ''] = told.places;
  expect(again).toBe(web1);
  expect(new Set([web1, web2, web3]).size).toBe(3);
  expect(web3).toMatch(/ 2$/); // in a lane that is free again
});

it('a refusal that stays ends it, and the log says so', async () => {
  told.answers = () => 'not_permitted';
  told.events.decided('web1', 'accepted');
  await passed(60);
  expect(told.asked).toEqual(['accept web1']);
  expect(told.logged).toEqual([
    [{ data: { act: 'accept', id: 'web1', result: true } }, 'no gateway takes the event salt/key: no: not_permitted'],
  ]);
});

it('of too many that wait the oldest are dropped, and that is said once, and how many when they are taken again', async () => {
  told.answers = () => 'no_responders';
  for (let n = 1; n <= MAX_WAITING + 3; n += 1) told.events.decided(String(n), 'accepted');
  await passed();
  expect(told.logged).toEqual([[expect.stringMatching(/10000 the oldest are dropped$/)]]);
  told.answers = () => 'taken';
  await passed(1);
  expect(told.taken).toHaveLength(MAX_WAITING);
  expect(told.taken.at(-1)).toBe(`accept ${String(MAX_WAITING + 3)}`);
  expect(told.logged.slice(1)).toEqual([
    [{ dropped: 3 }, expect.stringMatching(/^the events of keys are taken again/)],
  ]);
});

it('when the service stops, gateways take what waits; what they do not take is named', async () => {
  told.answers = () => undefined;
  told.events.decided('web1', 'accepted');
  const closed = told.events.close();
  await told.answer('accept web1', 'taken');
  await closed;
  expect(told.logged).toEqual([]);

  const other = new Told();
  other.answers = () => undefined;
  other.events.decided('web2', 'rejected');
  const closing = other.events.close();
  await passed(1);
  await closing;
  expect(other.logged).toEqual([named('salt/key reject web2')]);
});

it('what becomes of a key after that is told nobody, and named', async () => {
  await told.events.close();
  told.events.succeeded('web1');
  told.events.asked('web2', KEY, 'pending');
  expect(told.asked).toEqual([]);
  expect(told.logged).toEqual([named('salt/key succeed web1'), named('salt/auth pend web2')]);
});

function named(...events: readonly string[]): readonly unknown[] {
  return [{ dropped: events.length, events }, 'it stops, and drops the events of keys that no gateway has taken'];
}
