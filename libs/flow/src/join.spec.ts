/** Rules of joining: one key never has two names, one name never two keys, and who is let in without an operator. */
import { parseMinionId } from '@natrium/model';
import { type Admission, decideJoin, type Joiner, type KeyRecord, type RosterView } from './join.js';

const keyOf = (id: string) => Uint8Array.from(Buffer.from(id.padEnd(32)));
const joiner = (id: string, key = id): Joiner => ({
  id: parseMinionId(id)!,
  identity: keyOf(key),
  nkey: keyOf(key),
  grains: {},
});

const record = (name: string, state: KeyRecord['state'], change: Partial<KeyRecord> = {}): KeyRecord => ({
  kind: 'minion',
  name,
  identity: keyOf(name),
  nkey: keyOf(name),
  state,
  revision: 1,
  ...change,
});

function roster(...records: readonly KeyRecord[]): RosterView {
  const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;
  return {
    byKey: (identity) => records.find((one) => same(one.identity, identity)),
    wasSucceeded: () => false,
    wasDeleted: (identity) => records.some((one) => one.state === 'deleted' && same(one.identity, identity)),
    byName: (kind, name) =>
      records.find(
        (one) => one.kind === kind && one.name === name && one.state !== 'denied' && one.state !== 'deleted',
      ),
    count: (what) =>
      records.filter(({ state }) => (what === 'pending' ? ['pending'] : ['denied', 'rejected']).includes(state)).length,
  };
}

function admission(change: Partial<Admission> = {}): Admission {
  return {
    autoAccept: false,
    isInDoubt: () => false,
    rejects: () => false,
    expects: () => false,
    signs: () => false,
    maxPending: 2,
    hasRoom: true,
    ...change,
  };
}

it('a key that is gone stays gone while another has its id; afterwards it waits again', () => {
  const [gone, other] = [record('web1', 'deleted'), record('web1', 'accepted', { identity: keyOf('other') })];
  expect(decideJoin(joiner('web1'), roster(gone, other), admission())).toEqual({ state: 'denied' });
  expect(decideJoin(joiner('web1'), roster(gone), admission())).toMatchObject({ write: { state: 'pending' } });
});

describe('a newcomer', () => {
  it('waits until somebody accepts its key', () => {
    expect(decideJoin(joiner('web1'), roster(), admission())).toEqual({
      state: 'pending',
      write: { state: 'pending' },
    });
  });

  it.each([
    ['auto_accept', { autoAccept: true }],
    ['its key, beforehand', { expects: ({ id }: Joiner) => id === 'web1' }],
    ['autosign_file', { signs: ({ id }: Joiner) => id === 'web1' }],
  ])('is let in by %s', (_about, change) => {
    const decision = decideJoin(joiner('web1'), roster(), admission(change));
    expect(decision).toEqual({ state: 'accepted', write: { state: 'accepted' } });
  });

  it('is not let in by an autosign_file that does not name it', () => {
    const decision = decideJoin(joiner('db1'), roster(), admission({ signs: ({ id }) => id === 'web1' }));
    expect(decision.state).toBe('pending');
  });

  it('is rejected by name, however much else would let it in', () => {
    const rejects = admission({ autoAccept: true, signs: () => true, rejects: ({ id }) => id === 'web1' });
    expect(decideJoin(joiner('web1'), roster(), rejects)).toEqual({ state: 'rejected', write: { state: 'rejected' } });
    expect(decideJoin(joiner('web2'), roster(), rejects).state).toBe('accepted');
  });

  it('is turned away while too many wait, and nothing is written', () => {
    const full = roster(record('a', 'pending'), record('b', 'pending'));
    expect(decideJoin(joiner('web1'), full, admission())).toEqual({ state: 'full' });
    const withRoom = roster(record('a', 'pending'), record('b', 'accepted'));
    expect(decideJoin(joiner('web1'), withRoom, admission()).state).toBe('pending');
  });

  it('that would be turned away is not kept when so many are; the answer is the same', () => {
    const full = roster(record('web1', 'accepted'), record('a', 'denied'), record('b', 'rejected'));
    expect(decideJoin(joiner('web1', 'another'), full, admission())).toEqual({ state: 'denied' });
    const withRoom = roster(record('web1', 'accepted'), record('a', 'denied'));
    expect(decideJoin(joiner('web1', 'another'), withRoom, admission())).toEqual({
      state: 'denied',
      write: { state: 'denied' },
    });
  });

  it.each(['pending', 'accepted', 'rejected'] as const)(
    'with a second key for a name that is %s is denied',
    (state) => {
      const known = roster(record('web1', state));
      const decision = decideJoin(joiner('web1', 'another key'), known, admission({ autoAccept: true }));
      expect(decision).toEqual({ state: 'denied', write: { state: 'denied' } });
    },
  );

  it.each(['denied', 'deleted'] as const)('takes a name over that only a %s key had', (state) => {
    const decision = decideJoin(joiner('web1', 'another key'), roster(record('web1', state)), admission());
    expect(decision.state).toBe('pending');
  });
});

describe('an expected key', () => {
  const expects = admission({ expects: ({ identity }) => Buffer.compare(identity, keyOf('true')) === 0 });
  const stranger = (state: KeyRecord['state']) => record('web1', state, { identity: keyOf('stranger') });
  const own = (state: KeyRecord['state']) => record('web1', state, { identity: keyOf('true') });
  const ACCEPTED = { state: 'accepted', write: { state: 'accepted' } };
  const joins = (...records: readonly KeyRecord[]) => decideJoin(joiner('web1', 'true'), roster(...records), expects);

  it.each(['pending', 'rejected', 'denied'] as const)('is let in though a stranger’s key of its id is %s', (state) => {
    expect(joins(stranger(state))).toEqual(ACCEPTED);
    // So is one that was denied for the sake of that stranger, or waits.
    for (const before of ['denied', 'pending'] as const) expect(joins(stranger(state), own(before))).toEqual(ACCEPTED);
  });

  it('is denied while another of its id is accepted, and stays what it is', () => {
    expect(joins(stranger('accepted'))).toEqual({ state: 'denied', write: { state: 'denied' } });
    expect(joins(stranger('accepted'), own('denied'))).toEqual({ state: 'denied' });
    expect(joins(stranger('accepted'), own('pending'))).toEqual({ state: 'pending' });
  });

  it('stays out where an operator rejected it or took it away', () => {
    expect(joins(own('rejected'), stranger('pending'))).toEqual({ state: 'rejected' });
    expect(joins(own('deleted'), stranger('pending'))).toEqual({ state: 'denied' });
  });

  it('lets in no other of its id', () => {
    expect(decideJoin(joiner('web1', 'other'), roster(stranger('pending')), expects).state).toBe('denied');
    expect(decideJoin(joiner('web1', 'stranger'), roster(stranger('denied')), expects)).toEqual({ state: 'denied' });
  });
});

it.each([
  ['auto_accept', { autoAccept: true }],
  ['its key, beforehand', { expects: () => true }],
  ['autosign_file', { signs: () => true }],
])('while it cannot be told whom to keep out, %s lets nobody in: whoever comes waits', (_about, change) => {
  const inDoubt = admission({ ...change, isInDoubt: ({ id }) => id === 'web1' });
  expect(decideJoin(joiner('web1'), roster(), inDoubt)).toEqual({ state: 'pending', write: { state: 'pending' } });
  expect(decideJoin(joiner('web1'), roster(record('web1', 'pending')), inDoubt)).toEqual({ state: 'pending' });
  expect(decideJoin(joiner('web2'), roster(), inDoubt).state).toBe('accepted');
});

it('a key that waits is let in by no rule while another of its id is accepted', () => {
  const known = roster(record('web1', 'pending'), record('web1', 'accepted', { identity: keyOf('other') }));
  const view = { ...known, byName: () => record('web1', 'accepted', { identity: keyOf('other') }) };
  expect(decideJoin(joiner('web1'), view, admission({ autoAccept: true }))).toEqual({ state: 'pending' });
});

describe('a known key', () => {
  it.each(['accepted', 'rejected', 'denied'] as const)('that is %s stays so, and nothing is written', (state) => {
    const decision = decideJoin(joiner('web1'), roster(record('web1', state)), admission({ autoAccept: true }));
    expect(decision).toEqual({ state });
  });

  it.each(['pending', 'accepted', 'rejected', 'denied'] as const)('that is %s never gets a second name', (state) => {
    const known = roster(record('web1', state));
    const decision = decideJoin(joiner('db1', 'web1'), known, admission({ autoAccept: true }));
    expect(decision).toEqual({ state: 'denied' });
  });

  it('of an account never becomes a minion, also not of the same name', () => {
    const known = roster(record('root', 'accepted', { kind: 'account' }));
    expect(decideJoin(joiner('root'), known, admission({ autoAccept: true }))).toEqual({ state: 'denied' });
  });

  it('that waits goes on waiting, and is let in once the files say so', () => {
    const waiting = roster(record('web1', 'pending'));
    expect(decideJoin(joiner('web1'), waiting, admission())).toEqual({ state: 'pending' });
    expect(decideJoin(joiner('web1'), waiting, admission({ signs: () => true }))).toEqual({
      state: 'accepted',
      write: { state: 'accepted' },
    });
  });

  it('that was deleted begins anew, under any free name', () => {
    const gone = roster(record('web1', 'deleted'));
    expect(decideJoin(joiner('web1'), gone, admission()).state).toBe('pending');
    expect(decideJoin(joiner('db1', 'web1'), gone, admission()).state).toBe('pending');
  });
});

describe('a key that was taken away', () => {
  const gone = roster(record('web1', 'deleted'));
  const waiting = { ...roster(record('web1', 'pending')), wasDeleted: () => true };
  const expects = admission({ autoAccept: true, expects: () => true, signs: () => true });

  it('is not let in again because it was expected once: it waits until somebody accepts it', () => {
    expect(decideJoin(joiner('web1'), gone, expects)).toEqual({ state: 'pending', write: { state: 'pending' } });
    expect(decideJoin(joiner('web1'), waiting, expects)).toEqual({ state: 'pending' });
    const accepted = { ...roster(record('web1', 'accepted')), wasDeleted: () => false };
    expect(decideJoin(joiner('web1'), accepted, expects)).toEqual({ state: 'accepted' });
  });

  it.each([
    ['auto_accept', { autoAccept: true }],
    ['autosign_file', { signs: () => true }],
  ])('is let in again where %s would let in any key', (_about, change) => {
    for (const view of [gone, waiting])
      expect(decideJoin(joiner('web1'), view, admission(change))).toMatchObject({ write: { state: 'accepted' } });
  });

  it('is denied for ever where a new identity took its place, whatever would let it in', () => {
    const succeeded = { ...gone, wasSucceeded: () => true };
    for (const change of [{ autoAccept: true }, { expects: () => true }, { signs: () => true }])
      expect(decideJoin(joiner('web1'), succeeded, admission(change))).toEqual({ state: 'denied' });
    expect(decideJoin(joiner('db1', 'web1'), succeeded, admission())).toEqual({ state: 'denied' });
  });
});

describe('while as many minions are accepted as may be', () => {
  const closed = { hasRoom: false };

  it.each([
    ['nothing', {}],
    ['auto_accept', { autoAccept: true }],
    ['its key, beforehand', { expects: () => true }],
    ['autosign_file', { signs: () => true }],
  ])('a newcomer with %s for it hears "full", and is not kept', (_about, change) => {
    expect(decideJoin(joiner('web1'), roster(), admission({ ...change, ...closed }))).toEqual({ state: 'full' });
  });

  it('one that waits goes on waiting, and uses up nothing that would let it in', () => {
    const signs = () => {
      throw new Error('asked');
    };
    const waiting = roster(record('web1', 'pending'));
    for (const change of [{ autoAccept: true }, { expects: () => true }, { signs }])
      expect(decideJoin(joiner('web1'), waiting, admission({ ...change, ...closed }))).toEqual({ state: 'pending' });
  });

  it('who is accepted stays so, and who is turned away hears that', () => {
    expect(decideJoin(joiner('web1'), roster(record('web1', 'accepted')), admission(closed)).state).toBe('accepted');
    const rejects = admission({ ...closed, rejects: () => true });
    expect(decideJoin(joiner('web1'), roster(), rejects).state).toBe('rejected');
    expect(decideJoin(joiner('web1', 'other'), roster(record('web1', 'accepted')), admission(closed)).state).toBe(
      'denied',
    );
  });
});
