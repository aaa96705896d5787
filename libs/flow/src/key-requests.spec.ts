/** Rules of key requests: a key is named by id and fingerprint, and whatever does not fit changes nothing. */
import type { Value } from '@natrium/model';
import type { KeyRecord, KeyState } from './join.js';
import { KeyRequests } from './key-requests.js';

const FINGER = 'ab:cd';

const record = (name: string, state: KeyState, finger = `${FINGER}:${name}`, kind: KeyRecord['kind'] = 'minion') => {
  const identity = Uint8Array.from(Buffer.from(finger));
  return { kind, name, identity, nkey: identity, state, revision: 1 };
};

const hexOf = (text: string) => Buffer.from(text).toString('hex');

class Desk {
  readonly changes: [string, KeyState][] = [];
  raced = false;
  /** For so many more. */
  room = Infinity;
  /** Times that all records were looked at. */
  looks = 0;

  constructor(readonly records: readonly KeyRecord[]) {}

  async ask(fun: string, ...args: readonly Value[]): Promise<unknown> {
    const requests = new KeyRequests({
      records: () => {
        this.looks += 1;
        return this.records;
      },
      named: (id) => this.records.filter(({ kind, name }) => kind === 'minion' && name === id),
      fingerprintOf: (key) => Buffer.from(key).toString(),
      textOf: (key) => Buffer.from(key).toString('hex'),
      hasRoom: () => this.room > 0,
      change: (one, state) => {
        if (this.raced) return Promise.resolve(undefined);
        if (state === 'accepted') this.room -= 1;
        this.changes.push([one.name, state]);
        return Promise.resolve({ ...one, state });
      },
    });
    const answer = await requests.handle(fun, args);
    return answer.ok ? answer.value : answer.error.code;
  }
}

const web1 = { id: 'web1', fingerprint: `${FINGER}:web1` };

describe('key requests', () => {
  it('list every key of a minion but the deleted, with its fingerprint, public key and state', async () => {
    const desk = new Desk([
      record('web1', 'pending'),
      record('web2', 'accepted'),
      record('old', 'deleted'),
      record('root', 'accepted', 'f', 'account'),
    ]);
    expect(await desk.ask('key.list')).toEqual([
      { id: 'web1', fingerprint: `${FINGER}:web1`, state: 'pending', publicKey: hexOf(`${FINGER}:web1`) },
      { id: 'web2', fingerprint: `${FINGER}:web2`, state: 'accepted', publicKey: hexOf(`${FINGER}:web2`) },
    ]);
    expect(desk.changes).toEqual([]);
  });

  it.each([
    ['key.accept', 'accepted'],
    ['key.reject', 'rejected'],
    ['key.delete', 'deleted'],
  ] as const)('%s makes a key %s', async (fun, state) => {
    const desk = new Desk([record('web1', 'pending')]);
    expect(await desk.ask(fun, web1)).toEqual(['web1']);
    expect(desk.changes).toEqual([['web1', state]]);
  });

  it('compare fingerprints without regard to case', async () => {
    const desk = new Desk([record('web1', 'pending')]);
    expect(await desk.ask('key.accept', { ...web1, fingerprint: web1.fingerprint.toUpperCase() })).toEqual(['web1']);
  });

  it.each([
    ['another fingerprint than the one that was looked at', { ...web1, fingerprint: `${FINGER}:web2` }],
    ['a name that nobody has', { ...web1, id: 'web9' }],
    ['a deleted key', { id: 'old', fingerprint: `${FINGER}:old` }],
    ['an account’s key', { id: 'root', fingerprint: 'f' }],
  ])('refuse %s, and change nothing', async (_about, arg) => {
    const desk = new Desk([
      record('web1', 'pending'),
      record('old', 'deleted'),
      record('root', 'accepted', 'f', 'account'),
    ]);
    expect(await desk.ask('key.accept', arg)).toBe('key_mismatch');
    expect(desk.changes).toEqual([]);
  });

  it.each<readonly [string, Value]>([
    ['a name alone', 'web1'],
    ['a map without a fingerprint', { id: 'web1' }],
    ['a fingerprint that is no text', { id: 'web1', fingerprint: 7 }],
    ['nothing', null],
  ])('refuse %s, and change nothing', async (_about, arg) => {
    const desk = new Desk([record('web1', 'pending')]);
    expect(await desk.ask('key.accept', arg)).toBe('bad_request');
    expect(desk.changes).toEqual([]);
  });

  it.each(['key.gen', 'key.', '', 'constructor', 'toString'])('refuse what they do not know: %s', async (fun) => {
    const desk = new Desk([record('web1', 'pending')]);
    expect(await desk.ask(fun, web1)).toBe('bad_request');
    expect(desk.changes).toEqual([]);
  });

  it('accept no more minions than there is room for, and reject and delete all the same', async () => {
    const [web2, web3] = ['web2', 'web3'].map((id) => ({ id, fingerprint: `${FINGER}:${id}` }));
    const desk = new Desk([record('web1', 'pending'), record('web2', 'pending'), record('web3', 'accepted')]);
    desk.room = 1;
    expect(await desk.ask('key.accept', web1, web2!)).toBe('join_full');
    expect(await desk.ask('key.accept', web3!)).toEqual(['web3']);
    expect(await desk.ask('key.reject', web2!)).toEqual(['web2']);
    expect(await desk.ask('key.delete', web2!)).toEqual(['web2']);
    expect(desk.changes).toEqual([
      ['web1', 'accepted'],
      ['web3', 'accepted'],
      ['web2', 'rejected'],
      ['web2', 'deleted'],
    ]);
  });

  it('refuse a second accepted key for one name, and still delete or reject it', async () => {
    const desk = new Desk([record('web1', 'accepted'), record('web1', 'denied', 'other')]);
    const other = { id: 'web1', fingerprint: 'other' };
    expect(await desk.ask('key.accept', other)).toBe('key_state');
    expect(desk.changes).toEqual([]);
    expect(await desk.ask('key.delete', other)).toEqual(['web1']);
  });

  it('tell the loser of a race to look again', async () => {
    const desk = new Desk([record('web1', 'pending')]);
    desk.raced = true;
    expect(await desk.ask('key.accept', web1)).toBe('key_state');
  });
});

it('many keys are accepted without a look at the whole roster for each', async () => {
  const many = Array.from({ length: 100 }, (_, n) => record(`web${String(n)}`, 'pending'));
  const desk = new Desk(many);
  const args = many.map(({ name }) => ({ id: name, fingerprint: `${FINGER}:${name}` }));
  expect(await desk.ask('key.accept', ...args)).toHaveLength(100);
  expect(desk.looks).toBe(0);
});
