/** Rules of `key.*`: by id as Salt has it, and never one of several keys by chance. */
import type { Value } from '@natrium/model';
import type { KeyEntry } from '../key-views.js';
import { wheelRegistry } from '../runner-registry.js';
import { type KeysPort, keyWheel } from './wheel-key.js';

const ENTRIES: readonly KeyEntry[] = [
  { id: 'web1', fingerprint: 'aa', pem: 'PEM aa\n', state: 'accepted' },
  { id: 'web1', fingerprint: 'ab', pem: 'PEM ab\n', state: 'denied' },
  { id: 'web2', fingerprint: 'bb', pem: 'PEM bb\n', state: 'pending' },
  { id: 'web3', fingerprint: 'ca', pem: 'PEM ca\n', state: 'pending' },
  { id: 'web3', fingerprint: 'cb', pem: 'PEM cb\n', state: 'denied' },
  { id: 'db1', fingerprint: 'dd', pem: 'PEM dd\n', state: 'rejected' },
];
const STATES = { accept: 'accepted', reject: 'rejected' } as const;

class Keys implements KeysPort {
  readonly root = { fingerprint: 'ff', pem: 'PEM ff\n' };
  readonly changed: string[] = [];
  #entries: readonly KeyEntry[];

  constructor(entries = ENTRIES) {
    this.#entries = entries;
  }

  list(): Promise<readonly KeyEntry[]> {
    return Promise.resolve(this.#entries);
  }

  change(to: 'accept' | 'reject' | 'delete', key: KeyEntry): Promise<void> {
    this.changed.push(`${to} ${key.id} ${key.fingerprint}`);
    const others = this.#entries.filter((other) => other !== key);
    this.#entries = to === 'delete' ? others : [...others, { ...key, state: STATES[to] }];
    return Promise.resolve();
  }
}

async function ask(fun: string, args: readonly Value[], keys = new Keys()) {
  const { ret, success } = await wheelRegistry([keyWheel]).execute(fun, args, {
    keys,
    signal: new AbortController().signal,
  });
  return { ret, success, changed: keys.changed };
}

const flags = (named: Readonly<Record<string, Value>>) => ({ __kwarg__: true, ...named });

describe('key.*', () => {
  it('lists by state', async () => {
    expect((await ask('key.list_all', [])).ret).toEqual({
      local: ['master.pub'],
      minions: ['web1'],
      minions_pre: ['web2', 'web3'],
      minions_rejected: ['db1'],
      minions_denied: ['web1', 'web3'],
    });
    expect((await ask('key.list_all', [flags({ match: '*' })])).ret).toEqual((await ask('key.list_all', [])).ret);
    expect(await ask('key.list_all', ['web*'])).toMatchObject({ success: false });
    expect((await ask('key.list', ['un'])).ret).toEqual({ minions_pre: ['web2', 'web3'] });
    expect((await ask('key.list', ['all'])).ret).toEqual((await ask('key.list_all', [])).ret);
    expect(await ask('key.list', ['x'])).toMatchObject({ success: false });
    expect((await ask('key.name_match', ['db*,web2'])).ret).toEqual({
      minions_pre: ['web2'],
      minions_rejected: ['db1'],
    });
    // Blanks beside a comma say nothing, and who matches twice is told once.
    expect((await ask('key.name_match', ['web2 , db1'])).ret).toEqual({
      minions_pre: ['web2'],
      minions_rejected: ['db1'],
    });
    expect((await ask('key.name_match', [['db*', 'db1']])).ret).toEqual({ minions_rejected: ['db1'] });
    // Each of them is tried on each key.
    const many = (characters: number) => [
      'db*',
      '*'.repeat(characters - 3),
      ...Array.from({ length: 3000 }, () => 'nobody'),
    ];
    expect((await ask('key.name_match', [many(8192)])).success).toBe(true);
    expect((await ask('key.name_match', [many(8193)])).success).toBe(false);
    expect((await ask('key.finger', [['web1', 'web2']])).ret).toEqual({
      minions: { web1: 'aa' },
      minions_pre: { web2: 'bb' },
      minions_denied: { web1: 'ab' },
    });
    expect((await ask('key.finger', ['db1', 'sha256'])).ret).toEqual({ minions_rejected: { db1: 'dd' } });
    expect(await ask('key.finger', ['db1', flags({ hash_type: 'md5' })])).toMatchObject({ success: false });
  });

  it.each(['key.print', 'key.key_str'])('tells public keys as %s', async (fun) => {
    expect((await ask(fun, ['*3'])).ret).toEqual({
      minions_pre: { web3: 'PEM ca\n' },
      minions_denied: { web3: 'PEM cb\n' },
    });
    expect((await ask(fun, [['web1']])).ret).toMatchObject({ minions: { web1: 'PEM aa\n' } });
    expect((await ask(fun, ['nobody'])).ret).toEqual({});
  });

  it('sorts ids as Salt does, whatever their case', async () => {
    const ids = ['b', 'A', 'C', 'a'];
    const entries = ids.map((id): KeyEntry => ({ id, fingerprint: id, pem: id, state: 'pending' }));
    const sorted = ['A', 'a', 'b', 'C'];
    expect((await ask('key.name_match', ['*'], new Keys(entries))).ret).toEqual({ minions_pre: sorted });
    const { ret } = await ask('key.key_str', ['*'], new Keys(entries));
    expect(JSON.stringify(ret)).toBe('{"minions_pre":{"A":"A","a":"a","b":"b","C":"C"}}');
  });

  it('tells of the cluster’s own key under the name of Salt’s file', async () => {
    expect((await ask('key.finger_master', [])).ret).toEqual({ local: { 'master.pub': 'ff' } });
    expect((await ask('key.finger_master', ['sha256'])).ret).toEqual({ local: { 'master.pub': 'ff' } });
    expect((await ask('key.finger_master', [flags({ match: '*' })])).ret).toEqual({ local: { 'master.pub': 'ff' } });
    expect(await ask('key.finger_master', ['md5'])).toMatchObject({ success: false });
    expect((await ask('key.finger', ['master.*'])).ret).toEqual({ local: { 'master.pub': 'ff' } });
    expect((await ask('key.finger', ['*'])).ret).toMatchObject({
      local: { 'master.pub': 'ff' },
      minions: { web1: 'aa' },
    });
    for (const match of ['web1', 'master.pem', { minions: ['web1'] }])
      expect((await ask('key.finger', [match])).ret).not.toHaveProperty('local');
    expect((await ask('key.name_match', ['*'])).ret).not.toHaveProperty('local');
    expect((await ask('key.key_str', ['*'])).ret).not.toHaveProperty('local');
    expect((await ask('key.master_key_str', [])).ret).toEqual({ local: { 'master.pub': 'PEM ff\n' } });
  });

  it.each<[string, readonly Value[], readonly string[]]>([
    ['key.accept', ['web2'], ['accept web2 bb']],
    ['key.accept', ['db1'], []],
    ['key.accept', ['db1', flags({ include_rejected: true })], ['accept db1 dd']],
    ['key.accept', ['web3'], ['accept web3 ca']],
    ['key.accept', ['web3', flags({ include_denied: true, fingerprint: 'CB' })], ['accept web3 cb']],
    ['key.accept', [''], []],
    ['key.reject', ['web*'], ['reject web2 bb', 'reject web3 ca']],
    ['key.reject', ['web1', flags({ include_accepted: true })], ['reject web1 aa']],
    ['key.delete', ['web1'], ['delete web1 aa', 'delete web1 ab']],
    ['key.delete', ['web1', 'ab'], ['delete web1 ab']],
    ['key.accept_dict', [{ minions_pre: ['web2', 'web*'], minions_rejected: ['db1'] }], ['accept web2 bb']],
    ['key.accept_dict', [{ minions_denied: ['web3'] }, flags({ include_denied: true })], ['accept web3 cb']],
    ['key.reject_dict', [{ minions_pre: ['web3'], minions: ['web1'] }], ['reject web3 ca']],
    ['key.delete_dict', [{ minions_denied: ['web1'], local: ['master.pub'] }], ['delete web1 ab']],
  ])('%s %j', async (fun, args, changed) => {
    expect(await ask(fun, args)).toMatchObject({ success: true, changed });
  });

  it('tells how the keys are afterwards', async () => {
    expect((await ask('key.accept', ['web2'])).ret).toEqual({ minions: ['web2'] });
    expect((await ask('key.delete', ['web2'])).ret).toEqual({});
    expect((await ask('key.accept_dict', [{ minions_pre: ['web2'] }])).ret).toEqual({ minions: ['web2'] });
    // Ids, not globs.
    expect((await ask('key.accept_dict', [{ minions_pre: ['*', 'web*'] }])).ret).toEqual({});
    for (const match of ['web2', { pending: ['web2'] }])
      expect(await ask('key.accept_dict', [match])).toMatchObject({ success: false, changed: [] });
  });

  it.each(['key.gen', 'key.gen_accept', 'key.gen_keys'])(
    '%s says that nobody but a minion makes its key',
    async (fun) => {
      const { ret, success, changed } = await ask(fun, [flags({ id_: 'web9' })]);
      expect({ success, changed }).toEqual({ success: false, changed: [] });
      expect(ret).toContain(`${fun} is not here: a minion makes its own key`);
    },
  );

  it('accepts none of several keys of one id without its fingerprint', async () => {
    const both = await ask('key.accept', ['web*', flags({ include_denied: true })]);
    expect(both).toMatchObject({ success: false, changed: [] });
    expect(both.ret).toContain('several keys claim to be web3');
    expect(await ask('key.accept', ['web2', flags({ fingerprint: 'zz' })])).toMatchObject({
      success: false,
      changed: [],
    });
  });
});
