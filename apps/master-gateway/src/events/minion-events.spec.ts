/** Rules of how much one minion may send of events, and of what is said of those that it may not fire. */
import type { Opened } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { sodiumReady, toHex } from '@natrium/envelope';
import { type EventLog, type JournaledBus, sized, stampOf } from '@natrium/events';
import type { Body, contracts } from '@natrium/wire';
import { jest } from '@jest/globals';
import type { Logger } from 'pino';
import { MinionEvents } from './minion-events.js';

type Fired = Body<typeof contracts.events>['events'][number];

const KEY = new Uint8Array(32).fill(7);
const MANY = 500;
const MAX_BYTES = 10_000;
const NOW = 1_795_000_000_000;
const SKEW_MS = 60_000;

beforeAll(sodiumReady);

/** A gateway that hears one minion, and what it stores, writes down and tells the audit. */
class AGateway {
  readonly stored: number[] = [];
  readonly stamps: string[] = [];
  readonly warned: object[] = [];
  readonly audited: unknown[] = [];
  /** What its budget was charged for. */
  readonly bytes: number[] = [];
  /** Of its own clock. */
  ms = 0;
  readonly #events: MinionEvents;

  constructor(mayTell: (key: string) => boolean) {
    const link = {
      clock: { now: () => NOW, own: () => this.ms, skewMs: SKEW_MS },
      subjects: { svcAcl: () => 'acl' },
      bus: {
        ask: ({ body }: { readonly body: unknown }) => {
          this.audited.push(body);
          return Promise.resolve({ ok: true });
        },
      },
    };
    const log = {
      append: (_: string, events: readonly { readonly stamp: string }[], through: number) => {
        this.stored.push(events.length);
        this.stamps.push(...events.map(({ stamp }) => stamp));
        return Promise.resolve(through);
      },
      lastOf: () => Promise.resolve(0),
    };
    const idOf = (key: string) => (key === toHex(KEY) ? 'web1' : undefined);
    const logger = { warn: (about: object) => this.warned.push(about) };
    this.#events = new MinionEvents(
      link as unknown as RoleLink,
      log as unknown as EventLog,
      { whenListened: () => undefined, maxBytes: MAX_BYTES } as unknown as JournaledBus,
      { idOf, mayTell, toldBytes: (_, bytes) => this.bytes.push(bytes) },
      logger as unknown as Logger,
    );
  }

  close(): void {
    this.#events.close();
  }

  hear(tags: readonly string[]) {
    return this.hearAll(tags.map((tag) => ({ tag, data: {}, load: null })));
  }

  hearAll(fired: readonly (Pick<Fired, 'tag' | 'data' | 'load'> & Partial<Pick<Fired, 'stamp'>>)[]) {
    const events = fired.map((event) => ({ stamp: 0, ...event }));
    const opened = { body: { first: 1, dropped: 0, events }, party: { owner: { type: 'identity', key: KEY } } };
    return this.#events.handle(opened as unknown as Opened<typeof contracts.events>);
  }
}

it('a minion that has sent too much hears nothing and nothing of it is stored; within its budget it is', async () => {
  const asked: string[] = [];
  const spent = new AGateway((key) => asked.push(key) === 0);
  expect(await spent.hear(['my/event'])).toBeUndefined();
  expect([spent.stored, asked]).toEqual([[], [toHex(KEY)]]);
  const within = new AGateway(() => true);
  expect(await within.hear(['my/event'])).toEqual({ through: 1 });
  expect(within.stored).toEqual([1]);
});

it('a minion pays for the bytes of what is stored of it, and for nothing that is not', async () => {
  const within = new AGateway(() => true);
  const large = { data: { text: 'x'.repeat(5000) }, load: null };
  await within.hearAll([
    { tag: 'my/event', ...large },
    { tag: 'my/other', ...large },
    { tag: 'salt/job/20261120112404639750/ret/web2', ...large },
  ]);
  expect(within.bytes).toEqual([expect.closeTo(10_000, -3)]);
  const spent = new AGateway(() => false);
  await spent.hearAll([{ tag: 'my/event', ...large }]);
  expect(spent.bytes).toEqual([]);
});

it('a message with hundreds of events that may not be fired is told once, with their number', async () => {
  const gateway = new AGateway(() => true);
  const tags = Array.from({ length: MANY }, (_, n) => `salt/job/2026112011240463975${String(n)}/ret/web2`);
  expect(await gateway.hear([...tags, 'my/event'])).toEqual({ through: MANY + 1 });
  expect(gateway.stored).toEqual([1]);
  expect(gateway.warned).toEqual([{ minion: 'web1', tag: tags[0], count: MANY }]);
  expect(gateway.audited).toEqual([{ key: KEY, tag: tags[0], count: MANY }]);
});

describe('a minion that sends one message after the other with an event that it may not fire', () => {
  const FORGED = ['salt/job/20261120112404639750/ret/web2', 'my/event'];
  const counts = (told: readonly unknown[]) => told.map((one) => (one as { readonly count: number }).count);
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is told of sixty times, in the log and in the audit, and then of the others together; what it may fire is stored', async () => {
    const gateway = new AGateway(() => true);
    for (let n = 0; n < MANY; n += 1) expect(await gateway.hear(FORGED)).toEqual({ through: 2 });
    expect(gateway.stored).toHaveLength(MANY);
    for (const told of [gateway.warned, gateway.audited]) expect(counts(told)).toEqual(Array<number>(60).fill(1));
    jest.advanceTimersByTime(10_000);
    for (const told of [gateway.warned, gateway.audited]) expect(counts(told).slice(60)).toEqual([MANY - 60]);
    expect(gateway.audited.at(-1)).toEqual({ key: KEY, tag: FORGED[0], count: MANY - 60 });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is told of once a second while it goes on, none uncounted', async () => {
    const gateway = new AGateway(() => true);
    for (let n = 0; n < MANY; n += 1) {
      await gateway.hear(FORGED);
      gateway.ms += 10;
    }
    gateway.close();
    const told = counts(gateway.audited);
    expect(told.length).toBeLessThanOrEqual(60 + MANY / 100 + 1);
    expect(told.reduce((sum, count) => sum + count)).toBe(MANY);
    expect(jest.getTimerCount()).toBe(0);
  });
});

it.each([
  ['long ago', 0, 0],
  ['as far ahead as clocks may differ', NOW + SKEW_MS, NOW + SKEW_MS],
  ['further ahead', NOW + SKEW_MS + 1, NOW + SKEW_MS],
  ['beyond the year 9999', 253_402_300_800_000, NOW + SKEW_MS],
  ['no time at all', 8.64e15 + 1, NOW],
])('an event’s stamp is the minion’s own, unless that is later than clocks differ by: %s', async (_, said, stored) => {
  const gateway = new AGateway(() => true);
  await gateway.hearAll([{ tag: 'my/event', data: {}, load: null, stamp: said }]);
  expect(gateway.stamps).toEqual([stampOf(stored)]);
});

describe('an event that is larger than the master’s max_event_size', () => {
  const text = (bytes: number) => 'x'.repeat(bytes);

  it.each<[string, Pick<Fired, 'data' | 'load'>]>([
    ['by its data', { data: { text: text(15_000) }, load: null }],
    ['by what else it holds', { data: { text: text(9000) }, load: { more: text(9000) } }],
  ])('%s is refused alone, and told; those beside it are stored', async (_, large) => {
    const gateway = new AGateway(() => true);
    const fired = [
      { tag: 'large', ...large },
      { tag: 'my/event', data: {}, load: null },
    ];
    expect(await gateway.hearAll(fired)).toEqual({ through: 2 });
    expect(gateway.stored).toEqual([1]);
    expect(gateway.warned).toEqual([{ minion: 'web1', tag: 'large', count: 1 }]);
    expect(gateway.audited).toEqual([{ key: KEY, tag: 'large', count: 1 }]);
  });

  it('is not one that its minion’s agent measures as no larger, whatever the gateway adds to it', async () => {
    const gateway = new AGateway(() => true);
    const data = { text: text(900) };
    const load = { pretag: null };
    const padding = MAX_BYTES - sized({ ...load, data }, MAX_BYTES).bytes;
    const largest = { text: text(900 + padding) };
    expect(sized({ ...load, data: largest }, MAX_BYTES).bytes).toBe(MAX_BYTES);
    await gateway.hearAll([{ tag: 'as/large/as/may/be', data: largest, load }]);
    expect([gateway.stored, gateway.warned]).toEqual([[1], []]);
  });
});
