/**
 * Rules of the directory where the cluster's clock was ahead for a while and was set right: services are known again as they announce
 * themselves now, and whoever replays what they announced before brings no key back.
 */
import type { KnownParty } from '@natrium/envelope';
import { Directory } from './directory.js';

const NOW = 1_795_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const QUARTER = 15 * MINUTE;
const bytes = (text: string) => Uint8Array.from(Buffer.from(text));

/** What a gateway announces, at some time by its clock, under one of its keys. */
const announced = (key: string, at: number): KnownParty => ({
  owner: { type: 'role', role: 'gateway', instance: 'gw1', key: bytes('gateway') },
  use: 'service',
  epochKey: bytes(`epoch ${key}`),
  notBefore: at,
  notAfter: at + QUARTER,
  rolesSerial: 1,
  keyId: bytes(key),
});

const known = (directory: Directory) => directory.role('gateway');

/** Has heard `ahead` an hour too early by the clock that is set right since. */
function setRight(...ahead: readonly KnownParty[]) {
  const clock = { now: NOW + HOUR };
  const directory = new Directory(() => clock.now);
  for (const one of ahead) directory.learn(one);
  clock.now = NOW;
  return { clock, directory };
}

it('a service whose announcement is for a time to come is known by what it announces now', () => {
  const { clock, directory } = setRight(announced('first', NOW + HOUR));
  const now = announced('first', NOW);
  directory.learn(now);
  expect(known(directory)).toEqual([now]);
  expect(directory.byKeyId(now.keyId)).toBe(now);
  directory.learn(announced('unheard', NOW - 1));
  expect(known(directory)).toEqual([now]);
  clock.now = NOW + QUARTER + 1;
  expect(known(directory)).toEqual([]);
});

it('so is one that has begun an epoch meanwhile, of which the key that was known does not come back', () => {
  const { directory } = setRight(announced('first', NOW + HOUR - 1), announced('second', NOW + HOUR));
  directory.learn(announced('first', NOW));
  expect(known(directory)).toEqual([announced('second', NOW + HOUR)]);
  const now = announced('third', NOW);
  for (const one of [now, announced('second', NOW + 1), announced('first', NOW + 1)]) directory.learn(one);
  expect(known(directory)).toEqual([now]);
});

it('what is for no later time than clocks may differ keeps out what is older', () => {
  const { clock, directory } = setRight(announced('first', NOW + HOUR));
  clock.now = NOW + HOUR - 5 * MINUTE;
  for (const key of ['first', 'second']) directory.learn(announced(key, clock.now));
  expect(known(directory)).toEqual([announced('first', NOW + HOUR)]);
  clock.now -= 1;
  directory.learn(announced('second', clock.now));
  expect(known(directory)).toEqual([announced('second', clock.now)]);
});

it('jobs for a minion are sealed to no older announcement of it, whatever its time', () => {
  const { directory } = setRight();
  const owner = { type: 'identity', key: bytes('web1') } as const;
  const jobs = (key: string, at: number): KnownParty => ({
    ...announced(key, at),
    owner,
    use: 'jobs',
    notAfter: at + 25 * HOUR,
  });
  const ahead = jobs('first', NOW + HOUR);
  for (const one of [ahead, jobs('second', NOW)]) directory.learn(one);
  expect(directory.jobsOf(Buffer.from('web1').toString('hex'))).toBe(ahead);
});

it('a key that was replaced does not come back when the time has come for which it was announced', () => {
  const ahead = [announced('first', NOW + HOUR - 1), announced('second', NOW + HOUR)];
  const { clock, directory } = setRight(...ahead);
  for (const [n, key] of ['second', 'third', 'fourth'].entries()) {
    clock.now = NOW + n * MINUTE;
    directory.learn(announced(key, clock.now));
  }
  clock.now = NOW + HOUR - 2 * MINUTE;
  const now = announced('fourth', clock.now);
  directory.learn(now);
  clock.now = NOW + HOUR;
  for (const replayed of ahead) directory.learn(replayed);
  expect(known(directory)).toEqual([now]);
  const next = announced('fifth', clock.now);
  directory.learn(next);
  expect(known(directory)).toEqual([next]);
});

it('a replaced key is remembered for a day after what was announced of it has ended, and no longer', () => {
  const clock = { now: NOW };
  const directory = new Directory(() => clock.now);
  for (const [n, key] of ['first', 'second'].entries()) directory.learn(announced(key, NOW + n));
  const learnedAt = (now: number) => {
    clock.now = now;
    directory.learn(announced('second', now));
    directory.forgetEnded();
    directory.learn(announced('first', now + 1));
    return known(directory).map(({ keyId }) => Buffer.from(keyId).toString());
  };
  expect(learnedAt(NOW + QUARTER + 24 * HOUR - 1)).toEqual(['second']);
  expect(learnedAt(NOW + QUARTER + 24 * HOUR)).toEqual(['first']);
});
