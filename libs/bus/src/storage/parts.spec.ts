/** Rules of the bus's small parts: groups of writes, the cluster's time, who is known, and values sealed at rest. */
import { jest } from '@jest/globals';
import { type KnownParty, sodiumReady, type StorageKey } from '@natrium/envelope';
import { withOneByteEdited } from '@natrium/testing';
import { Clock } from '../parties/clock.js';
import { Directory } from '../parties/directory.js';
import { MemoryStore } from '../ports/memory-store.js';
import { GroupCommit } from './group-commit.js';
import { SealedStore, StoredCorrupt } from './sealed-store.js';

const NOW = 1_795_000_000_000;
const MINUTE = 60_000;
const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
const hex = (text: string) => Buffer.from(text).toString('hex');
const textOf = (value: Uint8Array | undefined) => Buffer.from(value ?? []).toString();

/** A write that a test lets end, well or badly. */
class Disk {
  readonly groups: (readonly string[])[] = [];
  readonly #ends: ((cause?: Error) => void)[] = [];
  #wake: () => void = () => undefined;

  readonly write = (group: readonly string[]): Promise<void> => {
    this.groups.push(group);
    this.#wake();
    return new Promise((resolve, reject) => {
      this.#ends.push((cause) => {
        if (cause === undefined) resolve();
        else reject(cause);
      });
    });
  };

  async writing(count: number): Promise<void> {
    while (this.groups.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  end(cause?: Error): void {
    this.#ends.shift()?.(cause);
  }
}

describe('a group commit', () => {
  it('writes what comes together at once, and what comes meanwhile next', async () => {
    const disk = new Disk();
    const commit = new GroupCommit<string>(disk.write, { windowMs: 0 });
    const first = [commit.add('a'), commit.add('b')];
    await disk.writing(1);
    const second = [commit.add('c'), commit.add('d')];
    expect(disk.groups).toEqual([['a', 'b']]);
    disk.end();
    await Promise.all(first);
    await disk.writing(2);
    expect(disk.groups[1]).toEqual(['c', 'd']);
    disk.end();
    await Promise.all(second);
  });

  it('says that nothing is durable before its write has ended', async () => {
    const disk = new Disk();
    const commit = new GroupCommit<string>(disk.write, { windowMs: 0 });
    let durable = false;
    const added = commit.add('a').then(() => (durable = true));
    await disk.writing(1);
    await new Promise(setImmediate);
    expect(durable).toBe(false);
    disk.end();
    await added;
  });

  it('knows how long the oldest has waited, also while a younger one waits behind it', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1000);
    try {
      const disk = new Disk();
      const commit = new GroupCommit<string>(disk.write, { windowMs: 0 });
      expect(commit.oldestMs).toBe(0);
      const first = commit.add('a');
      await disk.writing(1);
      clock.mockReturnValue(4000);
      const second = commit.add('b').catch(() => undefined);
      clock.mockReturnValue(6000);
      expect(commit.oldestMs).toBe(5000);
      disk.end();
      await first;
      await disk.writing(2);
      expect(commit.oldestMs).toBe(2000);
      disk.end(new Error('full'));
      await second;
      expect(commit.oldestMs).toBe(0);
    } finally {
      clock.mockRestore();
    }
  });

  it('fails the group whose write failed, and no other', async () => {
    const disk = new Disk();
    const commit = new GroupCommit<string>(disk.write, { windowMs: 0 });
    const first = Promise.allSettled([commit.add('a'), commit.add('b')]);
    await disk.writing(1);
    const second = commit.add('c');
    disk.end(new Error('no disk'));
    expect((await first).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await disk.writing(2);
    disk.end();
    await expect(second).resolves.toBeUndefined();
  });

  it('writes again after it had nothing to do', async () => {
    const disk = new Disk();
    const commit = new GroupCommit<string>(disk.write, { windowMs: 0 });
    for (const [index, item] of ['a', 'b'].entries()) {
      const added = commit.add(item);
      await disk.writing(index + 1);
      disk.end();
      await added;
    }
    expect(disk.groups).toEqual([['a'], ['b']]);
  });

  it('writes no more than its limit at once, all in their order', async () => {
    const disk = new Disk();
    const commit = new GroupCommit<string>(disk.write, { windowMs: 0, limit: 2 });
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => commit.add(item)));
    for (let count = 1; count <= 3; count += 1) {
      await disk.writing(count);
      disk.end();
    }
    await all;
    expect(disk.groups).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });
});

describe('a group commit in a flood', () => {
  const FLOOD = 256;
  const WINDOWS = 10;

  /** Of what comes in each window. */
  const writtenOf = async (windows: readonly number[]) => {
    const sizes: number[] = [];
    const left = [...windows];
    const comeIn = async () => {
      await new Promise(setImmediate);
      for (let count = left.shift() ?? 0; count > 0; count -= 1) void commit.add('one');
    };
    const commit = new GroupCommit<string>(
      (group) => {
        sizes.push(group.length);
        return Promise.resolve();
      },
      { windowMs: 50, limit: 10_000, maxWindows: WINDOWS, wait: comeIn },
    );
    await commit.add('first');
    return sizes[0];
  };

  it('waits while so many come in each window', async () => {
    expect(await writtenOf([FLOOD, FLOOD, 3, FLOOD])).toBe(1 + FLOOD + FLOOD + 3);
  });

  it('does not wait for less', async () => {
    expect(await writtenOf([FLOOD - 2, FLOOD])).toBe(1 + FLOOD - 2);
  });

  it('waits for an end of it only so long', async () => {
    const endless = Array.from({ length: WINDOWS + 5 }, () => FLOOD);
    expect(await writtenOf(endless)).toBe(1 + WINDOWS * FLOOD);
  });
});

describe('the cluster’s time', () => {
  const aClock = (own = NOW) => new Clock(30_000, () => own);

  it('is the own clock while that is within the skew', () => {
    const clock = aClock();
    expect(clock.adjust(NOW + 30_000, NOW, NOW)).toBe(0);
    expect(clock.now()).toBe(NOW);
  });

  it.each([30_001, -30_001, 3_600_000])('is the signed time when the own clock is %d ms off', (off) => {
    const clock = aClock();
    expect(clock.adjust(NOW + off, NOW, NOW)).toBe(off);
    expect([clock.now(), clock.offsetMs, clock.own()]).toEqual([NOW + off, off, NOW]);
  });

  it('counts half of the round trip', () => {
    const clock = aClock();
    expect(clock.adjust(NOW + 60_000, NOW, NOW + 2000)).toBe(59_000);
  });

  it('is to be asked for again once the own clock was set by more than a second, or the host slept; not for going on', () => {
    const own = { nowMs: NOW, awakeMs: 5 };
    const clock = new Clock(30_000, () => own.nowMs, () => own.awakeMs); // prettier-ignore
    const after = (ms: number, awakeMs: number): boolean => {
      own.nowMs += ms;
      own.awakeMs += awakeMs;
      return clock.wasSet();
    };
    expect([after(0, 0), after(86_400_000, 86_400_000), after(1000, 0), after(1, 0), after(-1, 0)]).toEqual([
      ...[false, false, false],
      ...[true, false],
    ]);
    expect([after(-2000, 0), after(-1, 0)]).toEqual([false, true]);
    clock.adjust(own.nowMs, own.nowMs, own.nowMs);
    expect([clock.wasSet(), after(60_000, 60_000), after(60_000, 0)]).toEqual([false, false, true]);
  });

  it('goes back to the own clock when that is good again', () => {
    const clock = aClock();
    clock.adjust(NOW + 3_600_000, NOW, NOW);
    expect(clock.adjust(NOW, NOW, NOW)).toBe(0);
    expect(clock.now()).toBe(NOW);
  });

  it('never runs below the latest signed time', () => {
    const clock = aClock();
    clock.raiseFloor(NOW + 5000);
    clock.raiseFloor(NOW + 1000);
    expect([clock.now(), clock.floorMs]).toEqual([NOW + 5000, NOW + 5000]);
  });
});

/** Parties differ by their names; what they sign does not matter here. */
function party(name: string, change: Partial<KnownParty> = {}): KnownParty {
  const key = bytes(name.split(' ')[0] ?? '');
  return {
    owner: { type: 'identity', key },
    use: 'jobs',
    epochKey: bytes(`epoch of ${name}`),
    notBefore: NOW,
    notAfter: NOW + MINUTE,
    rolesSerial: 1,
    keyId: bytes(`id of ${name}`),
    announced: { bytes: bytes(name), signature: new Uint8Array(64) },
    ...change,
  };
}

const service = (instance: string, change: Partial<KnownParty> = {}, role: 'gateway' | 'acl' = 'gateway') =>
  party(`${role}-${instance}`, {
    owner: { type: 'role', role, instance, key: bytes(role) },
    use: 'service',
    ...change,
  });

describe('the directory', () => {
  it('finds a party by its key id until its announcement ends, as the envelope does', () => {
    let now = NOW;
    const directory = new Directory(() => now);
    directory.learn(party('web1'));
    directory.learn(service('a'));
    now = NOW + MINUTE;
    expect(directory.byKeyId(bytes('id of web1'))?.use).toBe('jobs');
    expect(directory.jobsOf(hex('web1'))?.use).toBe('jobs');
    expect([directory.role('gateway'), directory.services()]).toEqual([[service('a')], [service('a')]]);
    now = NOW + MINUTE + 1;
    expect([directory.role('gateway'), directory.services()]).toEqual([[], []]);
    expect(directory.byKeyId(bytes('id of web1'))).toBeUndefined();
    expect(directory.jobsOf(hex('web1'))).toBeUndefined();
  });

  it('knows nobody by a key id that nobody has', () => {
    const directory = new Directory(() => NOW);
    directory.learn(party('web1'));
    expect(directory.byKeyId(bytes('id of web1'))?.use).toBe('jobs');
    expect(directory.byKeyId(bytes('id of web2'))).toBeUndefined();
  });

  it('seals jobs to the newest announcement of an identity, and never goes back', () => {
    const directory = new Directory(() => NOW);
    directory.learn(party('web1 new', { notBefore: NOW }));
    directory.learn(party('web1 old', { notBefore: NOW - 1 }));
    expect(directory.jobsOf(hex('web1'))?.keyId).toEqual(bytes('id of web1 new'));
    expect(directory.byKeyId(bytes('id of web1 old'))).toBeUndefined();
  });

  it('does not seal jobs to a session', () => {
    const directory = new Directory(() => NOW);
    directory.learn(party('root', { use: 'session' }));
    expect(directory.jobsOf(hex('root'))).toBeUndefined();
    expect(directory.byKeyId(bytes('id of root'))?.use).toBe('session');
  });

  it('knows the live services of a role, each instance once', () => {
    const directory = new Directory(() => NOW);
    directory.learn(service('a'));
    directory.learn(service('a', { keyId: bytes('renewed'), notBefore: NOW + 1 }));
    directory.learn(service('b'));
    directory.learn(service('gone', { notAfter: NOW - 1 }));
    directory.learn(service('c', {}, 'acl'));
    expect(directory.role('gateway').map(({ keyId }) => textOf(keyId))).toEqual(['renewed', 'id of gateway-b']);
    expect(directory.instance('gateway', 'b')?.keyId).toEqual(bytes('id of gateway-b'));
    expect(directory.instance('gateway', 'c')).toBeUndefined();
    expect(directory.services()).toHaveLength(3);
  });

  it('forgets a service that said good-bye', () => {
    const directory = new Directory(() => NOW);
    directory.learn(service('a'));
    directory.forget(service('a'));
    expect(directory.role('gateway')).toEqual([]);
    expect(directory.byKeyId(bytes('id of gateway-a'))).toBeUndefined();
  });

  it('knows two epochs of an owner, the newest and the one before, however many there were', () => {
    const directory = new Directory(() => NOW);
    const epochs = Array.from({ length: 5 }, (_, n) => ({ keyId: bytes(`epoch ${String(n)}`), notBefore: NOW + n }));
    const minion = (n: number) => ({ ...party('web1', epochs[n]), keyId: bytes(`minion's ${String(n)}`) });
    for (let n = 0; n < 5; n += 1) {
      directory.learn(service('a', epochs[n]));
      for (let times = 0; times < 2; times += 1) directory.learn(minion(n));
    }
    const isKnown = (ids: readonly Uint8Array[]) => ids.map((id) => directory.byKeyId(id) !== undefined);
    expect(isKnown(epochs.map(({ keyId }) => keyId))).toEqual([false, false, false, true, true]);
    expect(isKnown(epochs.map((_, n) => minion(n).keyId))).toEqual([false, false, false, true, true]);
    directory.retain(({ owner }) => owner.type === 'role');
    expect(isKnown([minion(3).keyId, minion(4).keyId])).toEqual([false, false]);
    directory.forget(service('a', epochs[4]));
    expect(isKnown(epochs.map(({ keyId }) => keyId))).toEqual([false, false, false, false, false]);
  });

  it('keeps a bounded number of sessions: the oldest leave, the used stay', () => {
    const directory = new Directory(() => NOW);
    const session = (n: number) => party(`s${n}`, { use: 'session' });
    for (let n = 0; n < 10_000; n += 1) directory.learn(session(n));
    directory.learn(session(0));
    directory.learn(session(10_000));
    expect(directory.byKeyId(bytes('id of s0'))).toBeDefined();
    expect(directory.byKeyId(bytes('id of s1'))).toBeUndefined();
    expect(directory.byKeyId(bytes('id of s10000'))).toBeDefined();
  });

  it('seals no jobs to whoever only says who it is, and keeps a bounded number of them; whom it learns it keeps', () => {
    const directory = new Directory(() => NOW);
    for (let n = 0; n <= 10_000; n += 1) directory.hear(party(`m${n}`));
    expect(directory.jobsOf(hex('m10000'))).toBeUndefined();
    expect(directory.byKeyId(bytes('id of m0'))).toBeUndefined();
    const [known, next] = [party('m10000'), party('m10000 next', { notBefore: NOW + 1 })];
    directory.hear(known);
    for (const one of [known, next]) {
      if (one === known) directory.learn(one);
      else directory.hear(one);
      expect(directory.jobsOf(hex('m10000'))).toBe(one);
    }
    for (let n = 0; n <= 10_000; n += 1) directory.hear(party(`s${n}`));
    expect([known, next].map(({ keyId }) => directory.byKeyId(keyId))).toEqual([known, next]);
  });

  it('forgets whose announcement ended a day ago: a clock that was ahead for less loses nobody', () => {
    let now = NOW;
    const directory = new Directory(() => now);
    directory.learn(party('web1'));
    now = NOW + 86_400_000;
    directory.forgetEnded();
    now = NOW;
    expect(directory.jobsOf(hex('web1'))).toBeDefined();
    now = NOW + MINUTE + 86_400_000;
    directory.forgetEnded();
    now = NOW;
    expect([directory.jobsOf(hex('web1')), directory.byKeyId(bytes('id of web1'))]).toEqual([undefined, undefined]);
  });
});

describe('a sealed store', () => {
  const OLD: StorageKey = { id: 'old', key: new Uint8Array(32).fill(1) };
  const NEW: StorageKey = { id: 'new', key: new Uint8Array(32).fill(2) };
  beforeAll(sodiumReady);

  function aStore(keys: readonly StorageKey[] = [NEW, OLD], raw = new MemoryStore('NT_main_jobs')) {
    const corrupt: string[] = [];
    const byId = (id: string) => keys.find((key) => key.id === id);
    const sealed = new SealedStore(raw, { newest: keys[0]!, byId }, ({ place }) => corrupt.push(place));
    return { raw, sealed, corrupt };
  }

  it('gives back what was written, and keeps nothing of it in clear', async () => {
    const { raw, sealed } = aStore();
    await sealed.create('a', bytes('canary-one'));
    const revision = await sealed.put('b', bytes('canary-two'));
    await sealed.update('b', bytes('canary-three'), revision);
    expect(textOf((await sealed.get('a'))?.value)).toBe('canary-one');
    expect(textOf((await sealed.get('b'))?.value)).toBe('canary-three');
    for (const { value } of await raw.list('>')) expect(textOf(value)).not.toContain('canary');
  });

  it('keeps the races of the store below', async () => {
    const { sealed } = aStore();
    expect(await sealed.create('a', bytes('one'))).toBeDefined();
    expect(await sealed.create('a', bytes('two'))).toBeUndefined();
    expect(await sealed.update('a', bytes('two'), 99)).toBeUndefined();
    await sealed.delete('a');
    expect(await sealed.get('a')).toBeUndefined();
  });

  it('seals the same value differently each time', async () => {
    const { raw, sealed } = aStore();
    await sealed.put('a', bytes('same'));
    const first = (await raw.get('a'))?.value;
    await sealed.put('a', bytes('same'));
    expect((await raw.get('a'))?.value).not.toEqual(first);
  });

  it('opens with any key of its class, and seals with the newest', async () => {
    const { raw, sealed: before } = aStore([OLD]);
    await before.put('a', bytes('one'));
    const { sealed: after } = aStore([NEW, OLD], raw);
    expect(textOf((await after.get('a'))?.value)).toBe('one');
    await after.put('b', bytes('two'));
    await expect(before.get('b')).rejects.toThrow(StoredCorrupt);
  });

  it('refuses a value that was moved to another key, and one of another bucket', async () => {
    const { raw, sealed } = aStore();
    await sealed.put('a', bytes('one'));
    const value = (await raw.get('a'))!.value;
    await raw.put('b', value);
    await expect(sealed.get('b')).rejects.toThrow('NT_main_jobs/b');
    const { raw: elsewhere, sealed: other } = aStore([NEW], new MemoryStore('NT_main_runs'));
    await elsewhere.put('a', value);
    await expect(other.get('a')).rejects.toThrow(StoredCorrupt);
  });

  it('opens what a revision wrote, and refuses what was moved there', async () => {
    const { raw, sealed } = aStore();
    const revision = await sealed.put('a', bytes('one'));
    expect(textOf((await sealed.at(revision))?.value)).toBe('one');
    expect(await sealed.at(revision + 1)).toBeUndefined();
    const moved = await raw.put('b', (await raw.get('a'))!.value);
    await expect(sealed.at(moved)).rejects.toThrow('NT_main_jobs/b');
  });

  it('refuses a value with any byte edited', async () => {
    const { raw, sealed } = aStore();
    await sealed.put('a', bytes('one'));
    const value = (await raw.get('a'))!.value;
    for (let at = 0; at < value.length; at += 1) {
      await raw.put('a', withOneByteEdited(value, at));
      await expect(sealed.get('a')).rejects.toThrow(StoredCorrupt);
    }
    await raw.put('a', value);
    expect(textOf((await sealed.get('a'))?.value)).toBe('one');
  });

  it('leaves out what does not open while listing and following, and says which', async () => {
    const { raw, sealed, corrupt } = aStore();
    await sealed.put('a', bytes('one'));
    await raw.put('b', bytes('not sealed'));
    expect((await sealed.list('*')).map(({ key }) => key)).toEqual(['a']);
    const followed: unknown[] = [];
    await sealed.follow(({ key, value }) => followed.push([key, value === undefined ? undefined : textOf(value)]));
    await raw.put('c', bytes('not sealed'));
    await sealed.delete('b');
    expect(followed).toEqual([
      ['a', 'one'],
      ['b', undefined],
    ]);
    expect(corrupt).toEqual(['NT_main_jobs/b', 'NT_main_jobs/b', 'NT_main_jobs/c']);
  });
});
