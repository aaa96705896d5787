/** Rules of asking the authority: of several acl-services one that stands still is not waited for, and nothing is done twice for it. */
import { jest } from '@jest/globals';
import { type AskFailure, type Question, SILENT_MS } from '@natrium/bus';
import { SigningKey, sodiumReady } from '@natrium/envelope';
import type { Value } from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';
import { AskedBus } from './asked-bus.spec-support.js';
import { MasterClient } from './master-client.js';

type Done = Body<typeof contracts.adminDone>;

/** Of a request to the authority, in all. */
const PATIENCE_MS = 5000;
/** Of a login. */
const LONGEST_MS = 60_000;
const DONE: Done = { refusal: null, result: 'done' };
const FRED = {
  refusal: null,
  token: '',
  session: { name: 'fred', eauth: 'pam', start: 0, expire: 1, perms: [], sees: 'own' },
} as const;
const refused = (code: string): Done => ({ refusal: { code, sentence: code }, result: null });

beforeAll(sodiumReady);
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const passes = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** The acl-services, of which the broker chooses one each time, and what their caller is told. */
class Authority {
  readonly #asked = new AskedBus<typeof contracts.adminDone>();
  readonly requests: Uint8Array[] = [];
  readonly credentials: string[] = [];
  /** Questions that go to one of them only. */
  alone = 0;
  readonly #client: MasterClient;

  constructor() {
    const asked = this.#asked.bus;
    const bus = {
      converse: (...args: Parameters<typeof asked.converse>) => {
        const { body } = args[0] as Question<typeof contracts.admin> | Question<typeof contracts.auth>;
        if ('request' in body) this.requests.push(body.request);
        else this.credentials.push(JSON.stringify(body.credential));
        return asked.converse(...args);
      },
      ask: () => {
        this.alone += 1;
        return new Promise(() => undefined);
      },
      sealer: { clock: { now: () => 0 }, roles: { cluster: new Uint8Array(32) } },
    } as unknown as typeof asked;
    const subjects = { publish: '', runner: '', admin: '', auth: '' };
    this.#client = new MasterClient({ bus, signing: SigningKey.generate(), subjects, grantRun: null });
  }

  get times(): number {
    return this.#asked.times;
  }

  async admin(fun: string, ...args: readonly Value[]): Promise<unknown> {
    const answer = await this.#client.admin(fun.startsWith('key') ? 'key' : 'audit', fun, args);
    return answer.ok ? answer.value : answer.error.sentence;
  }

  async auth(what: 'login' | 'check' | 'logout'): Promise<unknown> {
    const answer = await this.#client.auth({ what });
    return answer.ok ? answer.value.name : answer.error.sentence;
  }

  says(done: Done | Body<typeof contracts.authed>, to = 0): void {
    this.#asked.says(done as Done, to);
  }

  fails(failure: AskFailure, of = 0): void {
    this.#asked.fails(failure, of);
  }
}

it('one that answers is asked once', async () => {
  const authority = new Authority();
  const told = authority.admin('key.accept');
  await passes(SILENT_MS - 1);
  authority.says(DONE);
  await passes(PATIENCE_MS);
  expect([await told, authority.times]).toEqual(['done', 1]);
});

it('while nobody answers the very same request is asked again, and the first outcome counts', async () => {
  const authority = new Authority();
  const told = authority.admin('key.accept');
  await passes(2 * SILENT_MS);
  authority.says(DONE, 2);
  expect([await told, authority.times, new Set(authority.requests).size]).toEqual(['done', 3, 1]);
  const other = new Authority();
  const late = other.admin('key.accept');
  await passes(SILENT_MS);
  other.says(refused('not_permitted'), 0);
  expect(await late).toBe('not_permitted');
});

it('who says that it was begun by another is no outcome: that other is waited for, and nobody else is asked', async () => {
  const authority = new Authority();
  const told = authority.admin('key.accept');
  await passes(SILENT_MS);
  authority.says(refused('already_ran'), 1);
  await passes(SILENT_MS);
  authority.says(DONE, 0);
  expect([await told, authority.times]).toEqual(['done', 2]);
});

it('where that other never answers the outcome is unknown, and its caller hears that', async () => {
  const authority = new Authority();
  const told = authority.admin('key.accept');
  await passes(SILENT_MS);
  authority.says(refused('already_ran'), 1);
  await passes(PATIENCE_MS);
  expect(await told).toMatch(/^interrupted, outcome unknown/);
});

it.each(['slow_down', 'request_from_future', 'unknown_caller'])(
  'whose own state alone may be why it refuses says nothing of what another one may do: %s',
  async (code) => {
    const authority = new Authority();
    const told = authority.admin('key.accept');
    await passes(SILENT_MS);
    authority.says(refused(code), 1);
    await passes(PATIENCE_MS);
    expect(await told).toBe('the master did not answer in time');
  },
);

it('who does not do it now is believed where nobody else was asked', async () => {
  const other = new Authority();
  const alone = other.admin('key.accept');
  other.says(refused('store_unavailable'));
  expect(await alone).toBe('store_unavailable');
});

it('of several that have ended without an outcome, why it was not done is told rather than that it was begun', async () => {
  const authority = new Authority();
  const told = authority.admin('key.accept');
  await passes(SILENT_MS);
  authority.says(refused('already_ran'), 1);
  authority.says(refused('store_unavailable'), 0);
  expect(await told).toBe('store_unavailable');
});

it('nobody there is told at once, silence when its time is over', async () => {
  const authority = new Authority();
  const told = authority.admin('key.list');
  authority.fails('no_responders');
  expect(await told).toBe('no acl-service is connected to the broker');
  const silent = new Authority();
  const waited = silent.admin('key.list');
  await passes(PATIENCE_MS);
  expect(await waited).toBe('the master did not answer in time');
  await passes(PATIENCE_MS);
  expect(silent.times).toBe(Math.ceil(PATIENCE_MS / SILENT_MS));
});

it.each([
  ['audit.archive', {}],
  ['audit.sweep', { from: 0 }],
  ['audit.cut', {}],
  ['audit.heads', {}],
  ['audit.read', { wait: true }],
])('what two may not do at once, or takes its time, is asked of one: %s', async (fun, arg) => {
  const authority = new Authority();
  void authority.admin(fun, arg);
  await passes(PATIENCE_MS);
  expect([authority.times, authority.alone]).toEqual([0, 1]);
});

it.each(['login', 'check', 'logout'] as const)(
  'a %s that nobody answers is asked again in the same words, and the first outcome counts',
  async (what) => {
    const authority = new Authority();
    const told = authority.auth(what);
    await passes(SILENT_MS);
    authority.says(FRED, 1);
    expect([await told, authority.times, new Set(authority.credentials).size]).toEqual(['fred', 2, 1]);
  },
);

it('no two logins are the same, and one that another has begun is waited for', async () => {
  const authority = new Authority();
  const told = [authority.auth('login'), authority.auth('login')];
  await passes(SILENT_MS);
  expect(new Set(authority.credentials).size).toBe(2);
  for (const n of [0, 1]) authority.says({ ...FRED, session: null, refusal: refused('already_ran').refusal }, n + 2);
  authority.says(FRED, 0);
  await passes(LONGEST_MS);
  expect(await Promise.all(told)).toEqual(['fred', 'the master did not answer in time']);
});
