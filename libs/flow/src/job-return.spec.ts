/** Rules of returns: only who was asked, once; stored before acknowledged, also when a store failed in between. */
import { jest } from '@jest/globals';
import { parseJid } from '@natrium/model';
import type { records } from '@natrium/wire';
import { ActiveJobs } from './active-jobs.js';
import { JobReturns, type Returned } from './job-return.js';
import type { News } from './news.js';

const JID = parseJid('20261120141646000001')!;
const NOW = 1_795_000_000_000;
const REQUEST = Uint8Array.of(7);

const keyOf = (id: string) => Uint8Array.from(Buffer.from(id.padEnd(32)));
const keyText = (key: Uint8Array) => Buffer.from(key).toString('hex');
const digestOf = (request: Uint8Array) => keyText(Uint8Array.from([...request, 1]));
const DIGEST = Uint8Array.from([...REQUEST, 1]);

const RECORD: records.JobRecord = {
  request: REQUEST,
  signature: null,
  callerKey: null,
  batch: null,
  jid: JID,
  caller: { kind: 'minion', name: 'web1' },
  grant: { bytes: Uint8Array.of(1), signature: new Uint8Array(64) },
  instance: 'gw1',
  members: ['web1', 'web2'].map((id) => ({ id, key: keyOf(id) })),
  missing: [],
  started: NOW,
};

const says = (ret: string, change: Partial<Returned> = {}): Returned => ({
  jid: JID,
  digest: DIGEST,
  status: 'done',
  code: null,
  outcome: { ret, retcode: 0, success: true, out: null },
  ...change,
});

class Gateway {
  readonly #timers: (() => void)[] = [];
  readonly jobs = new ActiveJobs({
    after: (_ms, run) => {
      this.#timers.push(run);
      return () => undefined;
    },
  });
  readonly heard: News[] = [];
  readonly cache: records.StoredReturn[] = [];
  readonly counts: string[] = [];
  readonly announced: string[] = [];
  /** By key: what each has paid beyond its returns themselves. */
  readonly charged = new Map<string, number>();
  found: records.JobRecord | undefined = RECORD;
  /** How many times a job's record was read. */
  reads = 0;
  /** How many times its request was hashed. */
  hashes = 0;
  /** The same of what is stored of it. */
  readings = 0;
  /** How the next of those go; the rest succeed. */
  reading: (() => Promise<void>)[] = [];
  /** Ids of minions by the keys that they have now. */
  readonly renamed = new Map<string, string>();
  /** Whether a job of that jid would be kept no longer. */
  forgotten = false;
  /** How the next stores go; the rest succeed. */
  storing: (() => Promise<void>)[] = [];

  readonly returns = new JobReturns(
    {
      store: async (stored) => {
        await this.storing.shift()?.();
        this.cache.push(stored);
      },
      storeLate: async (stored) => {
        await this.storing.shift()?.();
        const isNew = !this.cache.some(({ id }) => id === stored.id);
        if (isNew) this.cache.push(stored);
        else this.counts.push('duplicate');
        return isNew;
      },
      findJob: () => {
        this.reads += 1;
        return Promise.resolve(this.found);
      },
      storedReturns: async () => {
        this.readings += 1;
        await this.reading.shift()?.();
        return [...this.cache];
      },
      announce: (_record, { id }) => this.announced.push(id),
      digestOf: (request) => {
        this.hashes += 1;
        return digestOf(request);
      },
      keyText,
      idNow: (key) => this.renamed.get(key),
      isForgotten: () => this.forgotten,
      charge: (key, returns) => this.charged.set(key, (this.charged.get(key) ?? 0) + returns),
      count: (what) => this.counts.push(what),
      now: () => NOW,
    },
    this.jobs,
  );

  static gathering(): Gateway {
    const gateway = new Gateway();
    const job = gateway.jobs.start(RECORD, keyText(DIGEST), keyText);
    job.listeners.add((news) => gateway.heard.push(news));
    return gateway;
  }

  /** Every time is up. */
  endNow(): void {
    while (this.#timers.length > 0) this.#timers.shift()?.();
  }

  hear(id: string, said: Returned): Promise<boolean> {
    return this.returns.handle(said, keyText(keyOf(id)));
  }

  get told(): readonly unknown[] {
    return this.heard.flatMap(({ returns }) => returns.map(({ id, ret }) => [id, ret]));
  }
}

describe('a return in time', () => {
  it('is told to the caller, stored, and acknowledged', async () => {
    const gateway = Gateway.gathering();
    expect(await gateway.hear('web1', says('one'))).toBe(true);
    expect(gateway.told).toEqual([['web1', 'one']]);
    expect(gateway.cache).toEqual([
      {
        jid: JID,
        id: 'web1',
        status: 'done',
        outcome: { ret: 'one', retcode: 0, success: true, out: null },
        at: NOW,
      },
    ]);
    expect(gateway.announced).toEqual(['web1']);
  });

  it('is taken from the identity that its minion has now, once, and from no other minion’s', async () => {
    const gateway = Gateway.gathering();
    gateway.renamed.set(keyText(keyOf('web1 new')), 'web1').set(keyText(keyOf('db1')), 'db1');
    expect(await gateway.hear('db1', says('stranger'))).toBe(false);
    expect(await gateway.hear('web1 new', says('one'))).toBe(true);
    expect(await gateway.hear('web1', says('again'))).toBe(true);
    expect(gateway.told).toEqual([['web1', 'one']]);
    expect(gateway.cache.map(({ id }) => id)).toEqual(['web1']);
    expect(gateway.counts).toEqual(['stranger', 'duplicate']);
  });

  it.each([true, false])(
    'of minions that were not asked costs no look at all who were, for each of them; gathered: %s',
    async (isGathered) => {
      let looks = 0;
      const members = Array.from({ length: 1000 }, (_, n) => ({
        key: keyOf(`m${String(n)}`),
        get id() {
          looks += 1;
          return `m${String(n)}`;
        },
      }));
      const gateway = new Gateway();
      gateway.found = { ...RECORD, members };
      if (isGathered) gateway.jobs.start(gateway.found, keyText(DIGEST), keyText);
      const strangers = Array.from({ length: 100 }, (_, n) => `s${String(n)}`);
      for (const id of strangers) gateway.renamed.set(keyText(keyOf(id)), id);
      const taken = await Promise.all(strangers.map((id) => gateway.hear(id, says('stranger'))));
      expect(new Set(taken)).toEqual(new Set([false]));
      expect(gateway.counts).toHaveLength(100);
      expect(looks).toBeLessThanOrEqual(2000);
      gateway.renamed.set(keyText(keyOf('m7 new')), 'm7');
      expect(await gateway.hear('m7 new', says('one'))).toBe(true);
      expect(gateway.cache.map(({ id }) => id)).toEqual(['m7']);
    },
  );

  it('is told under the name that was asked by the sender’s key', async () => {
    const gateway = Gateway.gathering();
    await gateway.hear('web2', says('I am web1'));
    expect(gateway.told).toEqual([['web2', 'I am web1']]);
  });

  it('is refused from one that was not asked: nothing is told, stored or acknowledged', async () => {
    const gateway = Gateway.gathering();
    expect(await gateway.hear('db1', says('one'))).toBe(false);
    expect([gateway.told, gateway.cache, gateway.counts]).toEqual([[], [], ['stranger']]);
  });

  it('is refused when it is for another request than its job’s', async () => {
    const gateway = Gateway.gathering();
    expect(await gateway.hear('web1', says('one', { digest: new Uint8Array(32) }))).toBe(false);
    expect([gateway.told, gateway.cache, gateway.counts]).toEqual([[], [], ['mismatch']]);
  });

  it('is taken once: a second one is acknowledged, and neither told nor stored', async () => {
    const gateway = Gateway.gathering();
    await gateway.hear('web1', says('one'));
    expect(await gateway.hear('web1', says('two'))).toBe(true);
    expect(gateway.told).toEqual([['web1', 'one']]);
    expect(gateway.cache).toHaveLength(1);
    expect(gateway.counts).toEqual(['duplicate']);
  });

  it('is told before it is stored, and acknowledged only after', async () => {
    const gateway = Gateway.gathering();
    let durable: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (durable = resolve));
    gateway.storing = [() => waiting];
    let acknowledged = false;
    const first = gateway.hear('web1', says('one')).then(() => (acknowledged = true));
    let again = false;
    const second = gateway.hear('web1', says('one')).then(() => (again = true));
    await new Promise(setImmediate);
    expect(gateway.told).toEqual([['web1', 'one']]);
    expect([acknowledged, again]).toEqual([false, false]);
    durable();
    await Promise.all([first, second]);
    expect(gateway.cache).toHaveLength(1);
  });

  it('is not lost when the store fails: the next copy is stored, and only then acknowledged', async () => {
    const gateway = Gateway.gathering();
    gateway.storing = [() => Promise.reject(new Error('no disk'))];
    await expect(gateway.hear('web1', says('one'))).rejects.toThrow('no disk');
    expect(gateway.cache).toEqual([]);
    expect(await gateway.hear('web1', says('one'))).toBe(true);
    expect(gateway.cache).toHaveLength(1);
    expect(gateway.told).toEqual([['web1', 'one']]);
  });

  it('is stored also when the caller cannot be told', async () => {
    const gateway = Gateway.gathering();
    gateway.jobs.byJid(JID)?.listeners.add(() => {
      throw new Error('an answer that cannot be sealed');
    });
    await expect(gateway.hear('web1', says('one'))).rejects.toThrow('cannot be sealed');
    expect(gateway.cache).toHaveLength(1);
    expect(await gateway.hear('web1', says('one'))).toBe(true);
    expect(gateway.cache).toHaveLength(1);
  });

  it('is stored once, and acknowledged when it comes again, also where the event bus cannot be told', async () => {
    const gateway = Gateway.gathering();
    jest.spyOn(gateway.announced, 'push').mockImplementationOnce(() => {
      throw new Error('no event of that');
    });
    await expect(gateway.hear('web1', says('one'))).rejects.toThrow('no event of that');
    expect(await gateway.hear('web1', says('one'))).toBe(true);
    expect(gateway.cache).toHaveLength(1);
    expect(gateway.told).toEqual([['web1', 'one']]);
  });

  it('that is a refusal ends the waiting for that minion, with its reason, and is not stored', async () => {
    const gateway = Gateway.gathering();
    expect(await gateway.hear('web1', says('', { status: 'refused', code: 'grant_expired' }))).toBe(true);
    await gateway.hear('web2', says('two'));
    expect(gateway.heard.at(-1)?.end).toEqual([
      { id: 'web1', why: 'refused', sentence: 'web1 refused the job: grant_expired' },
    ]);
    expect(gateway.cache.map(({ id }) => id)).toEqual(['web2']);
  });

  it('that is a refusal tells what to do, where its code alone does not', async () => {
    const gateway = Gateway.gathering();
    await gateway.hear('web1', says('', { status: 'refused', code: 'record_unwritable' }));
    await gateway.hear('web2', says('two'));
    const [end] = gateway.heard.at(-1)?.end ?? [];
    expect(end?.sentence).toMatch(/^web1 refused the job: record_unwritable: its disk .*until it has room again$/);
  });

  it('that is only said to have been sent before is told from the cache', async () => {
    const gateway = Gateway.gathering();
    await gateway.hear('web2', says('two'));
    const outcome = { ret: 'earlier', retcode: 0, success: true, out: null };
    gateway.cache.push({ jid: JID, id: 'web1', status: 'done', outcome, at: NOW });
    expect(await gateway.hear('web1', says('', { status: 'already_returned' }))).toBe(true);
    expect(gateway.told).toEqual([
      ['web2', 'two'],
      ['web1', 'earlier'],
    ]);
    expect(gateway.heard.at(-1)?.end).toEqual([]);
    expect(gateway.cache).toHaveLength(2);
  });

  it('that is said to have been sent before and is nowhere ends the waiting', async () => {
    const gateway = Gateway.gathering();
    await gateway.hear('web2', says('two'));
    expect(await gateway.hear('web1', says('', { status: 'already_returned' }))).toBe(true);
    expect(gateway.heard.at(-1)?.end).toEqual([{ id: 'web1', why: 'no_answer', sentence: null }]);
    expect(gateway.cache).toHaveLength(1);
  });
});

describe('a return of a job that is over here', () => {
  async function over(): Promise<Gateway> {
    const gateway = Gateway.gathering();
    await gateway.hear('web2', says('two'));
    return gateway;
  }

  it('that came before is acknowledged from memory: nothing is read, told or stored again', async () => {
    const gateway = await over();
    await gateway.hear('web1', says('one'));
    expect(await gateway.hear('web1', says('one'))).toBe(true);
    expect([gateway.reads, gateway.cache.length, gateway.told.length]).toEqual([0, 2, 2]);
    expect(await gateway.hear('web1', says('one', { digest: new Uint8Array(32) }))).toBe(false);
    expect(gateway.counts).toEqual(['duplicate', 'mismatch']);
  });

  it('that came before is known so also when hundreds of other jobs have ended since: nothing is read, told or stored again', async () => {
    const gateway = Gateway.gathering();
    for (const id of ['web1', 'web2']) await gateway.hear(id, says('one'));
    for (let n = 2; n < 500; n += 1) {
      const jid = `20261120141646${String(n).padStart(6, '0')}`;
      const job = gateway.jobs.start({ ...RECORD, jid }, jid, keyText);
      for (const key of job.gathering.silent) gateway.jobs.givenUp(job, key, 'not_connected');
      gateway.jobs.watch(job, 5000, 65_000);
    }
    expect(await gateway.hear('web1', says('again'))).toBe(true);
    expect([gateway.reads, gateway.cache.length, gateway.announced]).toEqual([0, 2, ['web1', 'web2']]);
  });

  it('is acknowledged only when it is stored, and stored once, however often it was sent meanwhile', async () => {
    const gateway = await over();
    let fail: () => void = () => undefined;
    gateway.storing = [() => new Promise((_, reject) => (fail = () => { reject(new Error('no disk')); }))]; // prettier-ignore
    const first = gateway.hear('web1', says('one'));
    const others = [1, 2, 3].map(() => gateway.hear('web1', says('one')));
    await new Promise(setImmediate);
    fail();
    await expect(first).rejects.toThrow('no disk');
    expect(await Promise.all(others)).toEqual([true, true, true]);
    expect(gateway.cache.map(({ id }) => id)).toEqual(['web2', 'web1']);
    expect(gateway.reads).toBe(0);
  });

  it('that comes for the first time is stored, without a look for its job', async () => {
    const gateway = await over();
    // As when its time is over: nobody gathers it any more, and one has not returned.
    const job = gateway.jobs.byJid(JID)!;
    gateway.jobs.watch(job, 0, 0);
    gateway.endNow();
    expect(await gateway.hear('web1', says('late'))).toBe(true);
    expect(await gateway.hear('db1', says('stranger'))).toBe(false);
    expect([gateway.reads, gateway.cache.map(({ id }) => id)]).toEqual([0, ['web2', 'web1']]);
  });
});

describe('a late return', () => {
  it.each(['done', 'interrupted', 'already_returned'] as const)(
    'that is %s costs its sender what reading its job costs, and more where that has many minions',
    async (status) => {
      const gateway = new Gateway();
      await gateway.hear('web1', says('', { status }));
      const others = Array.from({ length: 9998 }, (_, n) => ({ id: String(n), key: keyOf(String(n)) }));
      gateway.found = { ...RECORD, members: [...RECORD.members, ...others] };
      await gateway.hear('web2', says('', { status }));
      expect([...gateway.charged.values()]).toEqual([9, 59]);
    },
  );

  it('of which nobody knows the job costs as much; one in time nothing, unless it makes this gateway read what is stored', async () => {
    const [unknown, gateway] = [new Gateway(), Gateway.gathering()];
    unknown.found = undefined;
    expect(await unknown.hear('web1', says(''))).toBe(false);
    expect([...unknown.charged.values()]).toEqual([9]);
    await gateway.hear('web1', says('one'));
    expect(gateway.charged.size).toBe(0);
    await gateway.hear('web2', says('', { status: 'already_returned' }));
    expect([...gateway.charged]).toEqual([[keyText(keyOf('web2')), 9]]);
  });

  it('has its request, which may have megabytes, hashed once, and after the end of a job not at all', async () => {
    const gateway = new Gateway();
    for (const id of ['web1', 'web2', 'db1']) await gateway.hear(id, says('late'));
    expect(await gateway.hear('web1', { ...says('late'), digest: Uint8Array.of(1) })).toBe(false);
    expect(gateway.hashes).toBe(1);
    const ended = Gateway.gathering();
    ended.endNow();
    ended.jobs.watch(ended.jobs.byJid(JID)!, 0, 0);
    ended.endNow();
    expect(await ended.hear('web1', says('', { status: 'already_returned' }))).toBe(true);
    expect(await ended.hear('web1', { ...says('late'), digest: Uint8Array.of(1) })).toBe(false);
    expect([ended.hashes, ended.reads]).toEqual([0, 0]);
  });

  it('is told on the event bus once, when it is stored, however often it comes', async () => {
    const gateway = new Gateway();
    gateway.storing = [() => Promise.reject(new Error('disk full'))];
    await expect(gateway.hear('web1', says('late'))).rejects.toThrow('disk full');
    expect(gateway.announced).toEqual([]);
    for (let times = 0; times < 3; times += 1) expect(await gateway.hear('web1', says('late'))).toBe(true);
    expect(gateway.announced).toEqual(['web1']);
  });

  it('is told as well when only the word that it is stored was lost', async () => {
    const gateway = new Gateway();
    gateway.storing = [
      () => {
        gateway.cache.push({ jid: JID, id: 'web1', status: 'done', outcome: says('late').outcome, at: NOW });
        return Promise.reject(new Error('no acknowledgement'));
      },
    ];
    await expect(gateway.hear('web1', says('late'))).rejects.toThrow('no acknowledgement');
    expect(await gateway.hear('web1', says('late'))).toBe(true);
    expect(gateway.announced).toEqual(['web1']);
  });

  it('that comes again while it is being stored is told once, and stored once', async () => {
    const gateway = new Gateway();
    let durable: () => void = () => undefined;
    gateway.storing = [() => new Promise<void>((resolve) => (durable = resolve))];
    const first = gateway.hear('web1', says('late'));
    await new Promise(setImmediate);
    const again = [1, 2].map(() => gateway.hear('web1', says('late')));
    await new Promise(setImmediate);
    durable();
    expect(await Promise.all([first, ...again])).toEqual([true, true, true]);
    expect(gateway.announced).toEqual(['web1']);
    expect(gateway.cache).toHaveLength(1);
  });

  it('that says twice at once that its run was interrupted is stored and told once', async () => {
    const gateway = new Gateway();
    const interrupted = { ...says('gone'), status: 'interrupted' } as const;
    expect(await Promise.all([1, 2].map(() => gateway.hear('web1', interrupted)))).toEqual([true, true]);
    expect(gateway.announced).toEqual(['web1']);
    expect(gateway.cache).toHaveLength(1);
  });

  it('that comes again while its store fails is stored in its place, and told once', async () => {
    const gateway = new Gateway();
    let fail: () => void = () => undefined;
    gateway.storing = [() => new Promise((_, reject) => (fail = () => { reject(new Error('no word')); }))]; // prettier-ignore
    const first = gateway.hear('web1', says('late'));
    await new Promise(setImmediate);
    // It has come into effect, and the word of that is lost.
    gateway.cache.push({ jid: JID, id: 'web1', status: 'done', outcome: says('late').outcome, at: NOW });
    const again = [1, 2].map(() => gateway.hear('web1', says('late')));
    await new Promise(setImmediate);
    fail();
    await expect(first).rejects.toThrow('no word');
    expect(await Promise.all(again)).toEqual([true, true]);
    expect(gateway.announced).toEqual(['web1']);
  });

  it('whose store failed is remembered until ten thousand others have failed: the oldest goes first', async () => {
    const gateway = new Gateway();
    const ids = Array.from({ length: 10_001 }, (_, n) => `late${String(n)}`);
    gateway.found = { ...RECORD, members: ids.map((id) => ({ id, key: keyOf(id) })) };
    gateway.storing = ids.map(() => () => Promise.reject(new Error('no word')));
    await Promise.allSettled(ids.map((id) => gateway.hear(id, says('late'))));
    const outcome = says('late').outcome;
    for (const id of ['late0', 'late1', 'late10000'])
      gateway.cache.push({ jid: JID, id, status: 'done', outcome, at: NOW });
    for (const id of ['late0', 'late1', 'late10000']) await gateway.hear(id, says('late'));
    expect(gateway.announced).toEqual(['late1', 'late10000']);
  });

  it('of a job that is not gathered here is stored', async () => {
    const gateway = new Gateway();
    expect(await gateway.hear('web1', says('late'))).toBe(true);
    expect(gateway.cache.map(({ id, outcome }) => [id, outcome.ret])).toEqual([['web1', 'late']]);
    expect(gateway.heard).toEqual([]);
  });

  it('is stored once', async () => {
    const gateway = new Gateway();
    await gateway.hear('web1', says('late'));
    expect(await gateway.hear('web1', says('late'))).toBe(true);
    expect(gateway.cache).toHaveLength(1);
    expect(gateway.counts).toEqual(['duplicate']);
  });

  it.each([
    ['of no known job', 'web1', {}, 'stranger', undefined],
    ['of one that was not asked', 'db1', {}, 'stranger', RECORD],
    ['for another request', 'web1', { digest: new Uint8Array(32) }, 'mismatch', RECORD],
  ])('%s is refused and not stored', async (_about, id, change, counted, found) => {
    const gateway = new Gateway();
    gateway.found = found;
    expect(await gateway.hear(id, says('late', change))).toBe(false);
    expect([gateway.cache, gateway.counts]).toEqual([[], [counted]]);
  });

  it('of a job that is no longer kept is acknowledged and not stored: nobody can ask for it', async () => {
    const gateway = new Gateway();
    gateway.found = undefined;
    gateway.forgotten = true;
    expect(await gateway.hear('web1', says('late'))).toBe(true);
    expect([gateway.cache, gateway.counts]).toEqual([[], ['too_late']]);
  });

  it('that says only a refusal is acknowledged and not stored', async () => {
    const gateway = new Gateway();
    expect(await gateway.hear('web1', says('', { status: 'refused', code: 'grant_expired' }))).toBe(true);
    expect(gateway.cache).toEqual([]);
  });
});

/** As after a power cut: each of them calls its last run interrupted, whether its return was stored or not. */
describe('returns that may be stored already, of many minions of one job', () => {
  const ids = Array.from({ length: 50 }, (_, n) => `many${String(n)}`);
  const members = ids.map((id) => ({ id, key: keyOf(id) }));
  const stored = (id: string) => ({ jid: JID, id, status: 'done' as const, outcome: says('one').outcome, at: NOW });
  const interrupted = says('gone', { status: 'interrupted' });
  const aGateway = () => {
    const gateway = new Gateway();
    gateway.found = { ...RECORD, members };
    return gateway;
  };

  it('are looked for once where all are there, however they come, and none is stored or told again', async () => {
    const gateway = aGateway();
    gateway.cache.push(...ids.map(stored));
    for (const id of ids.slice(0, 25)) expect(await gateway.hear(id, interrupted)).toBe(true);
    await Promise.all(ids.slice(25).map((id) => gateway.hear(id, interrupted)));
    expect([gateway.readings, gateway.cache.length, gateway.announced]).toEqual([1, 50, []]);
  });

  it('share their readings where none is there, and each is stored and told once', async () => {
    const gateway = aGateway();
    expect(await Promise.all(ids.map((id) => gateway.hear(id, interrupted)))).toEqual(ids.map(() => true));
    expect(gateway.readings).toBeLessThanOrEqual(2);
    expect([gateway.cache.map(({ id }) => id), gateway.announced]).toEqual([ids, ids]);
  });

  it('are looked for anew when one of them was not there: another gateway may have stored it since', async () => {
    const gateway = aGateway();
    await gateway.hear('many0', interrupted);
    gateway.cache.push(stored('many1'));
    await gateway.hear('many1', interrupted);
    expect(gateway.announced).toEqual(['many0']);
  });

  it('are looked for again when a reading has failed', async () => {
    const gateway = aGateway();
    gateway.cache.push(stored('many0'));
    gateway.reading = [() => Promise.reject(new Error('no broker'))];
    await expect(gateway.hear('many0', interrupted)).rejects.toThrow('no broker');
    expect(await gateway.hear('many0', interrupted)).toBe(true);
    expect(gateway.announced).toEqual([]);
  });

  it('share their readings too where a job goes on here and they say that they returned before', async () => {
    const gateway = aGateway();
    const job = gateway.jobs.start({ ...RECORD, members }, keyText(DIGEST), keyText);
    job.listeners.add((news) => gateway.heard.push(news));
    gateway.cache.push(...ids.map(stored));
    await Promise.all(ids.map((id) => gateway.hear(id, says('', { status: 'already_returned' }))));
    expect(gateway.readings).toBeLessThanOrEqual(2);
    expect(gateway.told).toEqual(ids.map((id) => [id, 'one']));
  });
});
