/** Rules of a succession: only an accepted minion vouches, only for its own id, and only for a key that nobody has seen. */
import type { KeyRecord, KeyState } from './join.js';
import { decideSuccession } from './succession.js';

const record = (name: string, state: KeyState, change: Partial<KeyRecord> = {}): KeyRecord => ({
  kind: 'minion',
  name,
  identity: new Uint8Array(32),
  nkey: new Uint8Array(32),
  state,
  revision: 1,
  ...change,
});

const decide = (old: KeyRecord | undefined, next?: KeyRecord, id = 'web1') => {
  const decision = decideSuccession({ id, old, next });
  return decision.ok ? decision.value : decision.error.code;
};

it('lets a key that nobody has seen follow an accepted one', () => {
  expect(decide(record('web1', 'accepted'))).toBe('go');
});

it('says the same again, when both are accepted and when the old one has left', () => {
  expect(decide(record('web1', 'accepted'), record('web1', 'accepted'))).toBe('finish');
  expect(decide(record('web1', 'deleted'), record('web1', 'accepted'))).toBe('done');
});

it('refuses a key that is nobody’s, an account’s, or not accepted', () => {
  expect(decide(undefined)).toBe('unknown_caller');
  expect(decide(record('web1', 'accepted', { kind: 'account' }))).toBe('unknown_caller');
  for (const state of ['pending', 'rejected', 'denied', 'deleted'] as const)
    expect(decide(record('web1', state))).toBe('unknown_caller');
});

it('refuses a key for another id', () => {
  expect(decide(record('web1', 'accepted'), undefined, 'web2')).toBe('key_mismatch');
});

it.each([
  ['itself', undefined],
  ['a key that waits', record('web1', 'pending')],
  ['a denied one', record('web1', 'denied')],
  ['one that was taken away', record('web1', 'deleted')],
  ['that of another minion', record('web2', 'accepted')],
  ['that of an account', record('web1', 'accepted', { kind: 'account' })],
] as const)('refuses to put %s in its place', (_about, next) => {
  const old = record('web1', 'accepted');
  expect(decide(old, next ?? old)).toBe('key_state');
  expect(decide(record('web1', 'deleted'), next ?? record('web1', 'deleted'))).toBe('unknown_caller');
});
