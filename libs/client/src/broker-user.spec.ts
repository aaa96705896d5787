/** Rules of renewing a user of the broker: in time, again when it failed, and never without a pause. */
import { jest } from '@jest/globals';
import type { Link } from './connect.js';
import { keepRenewed, type OwnUser } from './broker-user.js';
import type { NatsTransport } from '@natrium/bus';

const HOUR_MS = 3_600_000;
const NOW = 1_795_000_000_000;

/** An acl-service that is there or not, and the cluster's time, which need not be this host's. */
class Renewals {
  readonly asked: number[] = [];
  failures = 0;
  isThere = true;
  /** How often the connection goes over to a new one in vain; and when it did go over. */
  stuck = 0;
  readonly wentOver: number[] = [];
  user = { issued: NOW, expires: NOW + 24 * HOUR_MS, take: () => undefined };

  begin(): void {
    const ask = () => {
      this.asked.push(this.#now());
      if (!this.isThere) return Promise.resolve({ ok: false, error: 'nobody_known' });
      this.user = { ...this.user, issued: this.#now(), expires: this.#now() + 24 * HOUR_MS };
      Object.assign(this.#own, this.user);
      return Promise.resolve({ ok: true, value: { body: { user: 'a JWT' } } });
    };
    const link = {
      bus: { ask, sealer: { clock: { now: () => this.#now() } } },
      own: { fp: 'x' },
      subjects: { upAcl: () => 'renew' },
      services: () => [],
      transport: { isClosed: false, renew: () => this.#goOver() },
    } as unknown as Link & { readonly transport: NatsTransport };
    Object.assign(this.#own, this.user);
    keepRenewed(link, this.#own as unknown as OwnUser, 'up', () => {
      this.failures += 1;
    });
  }

  #goOver(): Promise<void> {
    this.stuck -= 1;
    if (this.stuck >= 0) return Promise.reject(new Error('the broker does not answer in time'));
    this.wentOver.push(this.#now());
    return Promise.resolve();
  }

  readonly #own = {};
  readonly #began = performance.now();

  #now(): number {
    return NOW + performance.now() - this.#began;
  }
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('is renewed when two thirds of its life are over, once', async () => {
  const renewals = new Renewals();
  renewals.begin();
  await jest.advanceTimersByTimeAsync(16 * HOUR_MS - 1000);
  expect(renewals.asked).toHaveLength(0);
  await jest.advanceTimersByTimeAsync(2000);
  expect(renewals.asked).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(15 * HOUR_MS);
  expect(renewals.asked).toHaveLength(1);
});

it.each([-24, 0, 24])('goes by the cluster’s time where the host’s clock is %s hours off', async (hours) => {
  jest.setSystemTime(NOW + hours * HOUR_MS);
  const renewals = new Renewals();
  renewals.begin();
  await jest.advanceTimersByTimeAsync(17 * HOUR_MS);
  expect(renewals.asked).toHaveLength(1);
});

it('is tried again when nobody is there, once a second at most when it has ended, and comes then', async () => {
  const renewals = new Renewals();
  renewals.isThere = false;
  renewals.user = { ...renewals.user, issued: NOW - 24 * HOUR_MS, expires: NOW - 1000 };
  renewals.begin();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(renewals.failures).toBeGreaterThan(1);
  expect(renewals.failures).toBeLessThanOrEqual(10);
  renewals.isThere = true;
  await jest.advanceTimersByTimeAsync(HOUR_MS);
  expect(renewals.asked).toHaveLength(renewals.failures + 1);
});

it('asks for one only, and goes over to it soon, where the broker was too busy to let it in', async () => {
  const renewals = new Renewals();
  renewals.stuck = 2;
  renewals.begin();
  await jest.advanceTimersByTimeAsync(17 * HOUR_MS);
  expect([renewals.asked.length, renewals.failures, renewals.wentOver.length]).toEqual([1, 2, 1]);
  await jest.advanceTimersByTimeAsync(14 * HOUR_MS);
  expect([renewals.asked.length, renewals.wentOver.length]).toEqual([1, 1]);
});
