/** Rules of how much one process remembers of what it has opened. */
import { contracts, MAX_MINIONS } from '@natrium/wire';
import { SEEN } from './sealer.js';

const SKEW_MS = 30_000;
/** Twice what a gateway hands to one minion, or is sent by one acl-service, on two processors with nothing else to do. */
const PER_SECOND = 5000;

it('a sender is turned away for its number only far above what a service can send: all jobs of a minion come from one', () => {
  const longest = Math.max(...Object.values(contracts).map((one) => ('lifetimeMs' in one ? one.lifetimeMs : 0)));
  expect(longest).toBe(contracts.job.lifetimeMs);
  expect(SEEN.perSender / ((longest + SKEW_MS) / 1000)).toBeGreaterThan(PER_SECOND);
});

it('all minions of the largest fleet, and as many programs as one would start, may send within the same minute', () => {
  expect(SEEN.senders).toBeGreaterThan(MAX_MINIONS + 10_000);
});
