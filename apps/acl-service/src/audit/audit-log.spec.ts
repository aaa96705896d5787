/** Rules of the audit: one unbroken chain for each instance, in the order of its decisions, and nothing is lost unseen. */
import { jest } from '@jest/globals';
import { MemoryStore } from '@natrium/bus';
import { auditHash, decode, followsAudit, readAudit, sodiumReady } from '@natrium/envelope';
import type { AuditEntry } from '@natrium/flow';
import { parseJid } from '@natrium/model';
import { FakeClock } from '@natrium/testing';
import { AuditLog } from './audit-log.js';

const NOW = 1_795_000_000_000;
const POLICY = 'ab'.repeat(32);

const entry = (what: AuditEntry['what'], change: Partial<AuditEntry> = {}): AuditEntry => ({
  what,
  caller: { kind: 'minion', name: 'web1' },
  digest: '07'.repeat(32),
  jid: parseJid('20261120141646000001')!,
  funs: ['test.ping'],
  target: 'web*',
  tgtType: 'glob',
  form: 'job',
  minions: 2,
  reason: what === 'grant' ? 'peer › .* › test.*' : 'not_permitted',
  ...change,
});

let store: MemoryStore;
let failures: unknown[];
let recovered: number[];
let clock: FakeClock;
beforeAll(sodiumReady);
beforeEach(() => {
  store = new MemoryStore('audit');
  failures = [];
  recovered = [];
  clock = new FakeClock(NOW);
});

type Heads = ConstructorParameters<typeof AuditLog>[1]['heads'];

function aLog(instance = 'acl1', heads: Heads = [], growsMs = 60_000): AuditLog {
  return new AuditLog(store, {
    instance,
    heads,
    now: clock.now,
    windowMs: 1,
    growsMs,
    onFailure: (cause) => failures.push(cause),
    onRecovered: (lost) => recovered.push(lost),
  });
}

/** All records that are stored, in the order of their groups. */
async function stored(): Promise<readonly Uint8Array[]> {
  const entries = await store.list('a.>');
  return entries.flatMap(({ value }) => decode(value) as readonly Uint8Array[]);
}

describe('the audit', () => {
  it('gives each record its place at once, one after the other', () => {
    const log = aLog();
    expect(log.append(entry('grant'), POLICY)).toEqual({ chain: 'acl1', number: 0 });
    expect(log.append(entry('refusal'), POLICY)).toEqual({ chain: 'acl1', number: 1 });
    expect(log.end.number).toBe(1);
  });

  it('counts decisions about grants by verdict, logins apart from them, and nothing else', () => {
    const log = aLog();
    log.append(entry('grant'), POLICY);
    log.append(entry('grant'), POLICY);
    log.append(entry('refusal'), POLICY);
    log.refuse({ caller: null, digest: null, code: 'bad_signature' });
    log.note({ what: 'login', verdict: 'refuse', rule: null, detail: {} });
    log.note({ what: 'key', verdict: 'allow', rule: null, detail: {} });
    log.note({ what: 'policy', verdict: 'in_force', rule: null, detail: {} });
    expect(Object.fromEntries(log.counts.decisions)).toEqual({ allow: 2, not_permitted: 1 });
    expect(Object.fromEntries(log.counts.refusals)).toEqual({ bad_signature: 1 });
    expect(Object.fromEntries(log.counts.logins)).toEqual({ refuse: 1 });
  });

  it('knows how many records wait for the store, and for how long the oldest', async () => {
    const log = aLog();
    expect(log.oldestMs).toBe(0);
    const since = jest.spyOn(performance, 'now').mockReturnValue(1000);
    for (let n = 0; n < 3; n += 1) log.append(entry('grant'), POLICY);
    expect(log.waiting).toBe(3);
    since.mockReturnValue(3500);
    expect(log.oldestMs).toBe(2500);
    since.mockRestore();
    await log.settled();
    expect([log.waiting, log.oldestMs]).toEqual([0, 0]);
  });

  it('stores an unbroken chain that ends where it says', async () => {
    const log = aLog();
    for (let n = 0; n < 20; n += 1) log.append(entry(n % 2 === 0 ? 'grant' : 'refusal'), POLICY);
    await log.settled();
    for (let n = 0; n < 5; n += 1) log.append(entry('grant'), POLICY);
    await log.settled();
    const bytes = await stored();
    expect(bytes).toHaveLength(25);
    for (const [index, one] of bytes.entries()) {
      const record = readAudit(one);
      expect(record.ok && followsAudit(bytes[index - 1], record.value)).toBe(true);
    }
    expect(auditHash(bytes.at(-1)!)).toEqual(log.end.hash);
  });

  it('records who asked what of whom, the verdict and its reason', async () => {
    const log = aLog();
    log.append(entry('grant'), POLICY);
    log.append(entry('refusal', { caller: null, jid: '' }), POLICY);
    await log.settled();
    const records = (await stored()).map((bytes) => readAudit(bytes)).flatMap((read) => (read.ok ? [read.value] : []));
    expect(records).toMatchObject([
      {
        what: 'grant',
        verdict: 'allow',
        rule: 'peer › .* › test.*',
        caller: { kind: 'minion', name: 'web1' },
        jid: '20261120141646000001',
        time: NOW,
        detail: { form: 'job', funs: ['test.ping'], target: 'web*', tgt_type: 'glob', minions: 2 },
      },
      { what: 'refusal', verdict: 'refuse', rule: 'not_permitted', caller: null, jid: null },
    ]);
  });

  it('names in its first record where the other chains end, and nowhere else', async () => {
    const first = aLog('acl1');
    first.append(entry('grant'), POLICY);
    await first.settled();
    const log = aLog('acl2', [first.end]);
    log.append(entry('grant'), POLICY);
    log.append(entry('grant'), POLICY);
    await log.settled();
    const own = (await stored()).map((bytes) => readAudit(bytes)).flatMap((read) => (read.ok ? [read.value] : []));
    expect(own.map(({ chain, heads }) => [chain, heads])).toEqual([
      ['acl1', []],
      ['acl2', [first.end]],
      ['acl2', []],
    ]);
  });

  it('writes groups that fit into one message, however long the records and how many come at once', async () => {
    const log = aLog();
    const funs = Array.from({ length: 64 }, () => 'ü'.repeat(256));
    for (let n = 0; n < 250; n += 1) log.append(entry('refusal', { funs, target: 'ü'.repeat(1024) }), POLICY);
    await log.settled();
    const groups = await store.list('a.>');
    expect(Math.max(...groups.map(({ value }) => value.length))).toBeLessThan(600 << 10);
    expect(await stored()).toHaveLength(250);
  });

  it('stores all of what comes also where somebody sends requests as large as a message, and each of its records fits into one', async () => {
    const log = aLog();
    const put = store.put.bind(store);
    store.put = (key, value) => (value.length < 1 << 20 ? put(key, value) : Promise.reject(new Error('max_payload')));
    const caller = { kind: 'account', name: 'root' } as const;
    const key = { time: NOW, what: 'key', caller, digest: null, jid: null, verdict: 'allow', rule: null } as const;
    for (let n = 0; n < 3; n += 1) {
      log.write({ ...key, detail: { fun: 'key.accept', args: ['x'.repeat(5 << 20)], keys: [{ id: 'web1' }] } });
      log.append(entry('grant'), POLICY);
    }
    await log.settled();
    expect([failures, log.waiting]).toEqual([[], 0]);
    const read = (await stored()).map((bytes) => readAudit(bytes));
    expect(read.map((one) => one.ok && one.value.what)).toEqual(['key', 'grant', 'key', 'grant', 'key', 'grant']);
    const cut = { bytes: expect.any(Number) as number, digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string };
    expect(read[0]).toMatchObject({ value: { detail: { fun: 'key.accept', keys: [{ id: 'web1' }], cut } } });
  });

  it('lets the last group grow for a while, up to a hundred records, and writes each record to one group', async () => {
    const log = aLog();
    for (const count of [3, 2, 40, 60, 1]) {
      for (let n = 0; n < count; n += 1) log.append(entry('grant'), POLICY);
      await log.settled();
    }
    const groups = await store.list('a.>');
    expect(groups.map(({ key, value }) => [key, (decode(value) as unknown[]).length])).toEqual([
      ['a.acl1.0', 45],
      ['a.acl1.45', 61],
    ]);
    const numbers = (await stored()).map((bytes) => readAudit(bytes)).map((read) => read.ok && read.value.number);
    expect(numbers).toEqual(Array.from({ length: 106 }, (_, n) => n));
  });

  it('lets no group grow beyond half a mebibyte', async () => {
    const log = aLog();
    for (let n = 0; n < 12; n += 1) {
      log.note({ what: 'policy', verdict: 'in_force', rule: null, detail: { text: 'x'.repeat(60_000) } });
      await log.settled();
    }
    const groups = await store.list('a.>');
    expect(groups.map(({ value }) => (decode(value) as unknown[]).length)).toEqual([8, 4]);
  });

  it('begins another group when the last one is too old to grow', async () => {
    const log = aLog('acl1', [], 0);
    for (let n = 0; n < 2; n += 1) {
      log.append(entry('grant'), POLICY);
      await log.settled();
    }
    expect((await store.list('a.>')).map(({ key }) => key)).toEqual(['a.acl1.0', 'a.acl1.1']);
  });

  it('keeps what could not be written, and stores it in its place with the next', async () => {
    const log = aLog();
    const put = store.put.bind(store);
    store.put = () => Promise.reject(new Error('no disk'));
    for (let n = 0; n < 3; n += 1) {
      log.append(entry('grant'), POLICY);
      await log.settled();
    }
    expect([failures, recovered]).toEqual([[new Error('no disk')], []]);
    store.put = put;
    expect(log.append(entry('refusal'), POLICY).number).toBe(3);
    await log.settled();
    const numbers = (await stored()).map((bytes) => readAudit(bytes)).map((read) => read.ok && read.value.number);
    expect([numbers, recovered]).toEqual([[0, 1, 2, 3], [0]]);
  });

  it('keeps a bounded number, the oldest, and says how many are lost', async () => {
    const log = aLog();
    const put = store.put.bind(store);
    store.put = () => Promise.reject(new Error('no disk'));
    for (let n = 0; n < 10_007; n += 1) log.append(entry('grant'), POLICY);
    await log.settled();
    store.put = put;
    log.append(entry('grant'), POLICY);
    await log.settled();
    expect([(await stored()).length, recovered]).toEqual([10_000, [8]]);
  });

  it('writes once more as it was what the store may have taken without a word: no record stands under two keys', async () => {
    const passed = jest.spyOn(performance, 'now').mockReturnValue(1000);
    const log = aLog('acl1', [], 20);
    const put = store.put.bind(store);
    const one = async () => {
      log.append(entry('grant'), POLICY);
      await log.settled();
    };
    await one();
    store.put = async (key, value) => {
      await put(key, value);
      passed.mockReturnValue(2000); // its group is too old to grow by then
      throw new Error('no answer');
    };
    await one();
    store.put = put;
    await one();
    passed.mockRestore();
    const numbers = (await stored()).map((bytes) => readAudit(bytes)).map((read) => read.ok && read.value.number);
    expect(numbers).toEqual([0, 1, 2]);
  });

  it('keeps no more, and ends soon, where the store fails late', async () => {
    const log = aLog();
    let puts = 0;
    store.put = async () => {
      puts += 1;
      await new Promise(setImmediate);
      throw new Error('no leader');
    };
    for (let n = 0; n < 15_000; n += 1) log.append(entry('grant'), POLICY);
    expect(log.waiting).toBe(10_000);
    await log.settled();
    expect(puts).toBeLessThan(5);
  });

  it('has a group stored, and says that it goes on, while others come all the time', async () => {
    const log = aLog();
    const put = store.put.bind(store);
    store.put = () => Promise.reject(new Error('no disk'));
    log.append(entry('grant'), POLICY);
    await log.settled();
    store.put = async (key, value) => {
      log.append(entry('grant'), POLICY); // while it is written
      return put(key, value);
    };
    log.append(entry('grant'), POLICY);
    await log.settled();
    expect(recovered).toEqual([0]);
    store.put = put;
    await log.settled();
  });
});

describe('of those whom nobody knows', () => {
  const BURST = 60;
  const login = (log: AuditLog, verdict = 'refuse') => log.note({ what: 'login', verdict, rule: null, detail: {} });
  const joined = (log: AuditLog, verdict: string) => log.note({ what: 'join', verdict, rule: null, detail: {} });
  const stranger = (log: AuditLog) => log.append(entry('refusal', { caller: null, jid: '' }), POLICY);

  it.each<[string, (log: AuditLog) => unknown]>([
    ['logins that failed', (log) => login(log)],
    ['newcomers for whom there is no room', (log) => joined(log, 'full')],
    ['newcomers that were denied', (log) => joined(log, 'denied')],
    ['requests of nobody', (log) => stranger(log)],
  ])('%s: sixty are recorded at once, then one a second', (_, happen) => {
    const log = aLog();
    for (let n = 0; n < 200; n += 1) happen(log);
    expect(log.end.number).toBe(BURST - 1);
    clock.advance(3000);
    for (let n = 0; n < 200; n += 1) happen(log);
    expect(log.end.number).toBe(BURST + 2);
  });

  it('one kind hides no other: a wrong password is recorded while strangers ask to join', () => {
    const log = aLog();
    for (let n = 0; n < 200; n += 1) joined(log, 'full');
    const { number } = log.end;
    login(log);
    stranger(log);
    expect(log.end.number).toBe(number + 2);
  });

  it('all is recorded of whoever is known, and of whoever came in', () => {
    const log = aLog();
    for (let n = 0; n < 100; n += 1) {
      log.append(entry('refusal'), POLICY);
      login(log, 'allow');
      joined(log, 'accepted');
      joined(log, 'pending');
    }
    expect(log.end.number).toBe(399);
  });

  it('one record says how many were left out of each kind, and each is counted', async () => {
    const log = aLog();
    for (let n = 0; n < BURST + 9; n += 1) login(log);
    for (let n = 0; n < BURST + 3; n += 1) joined(log, 'full');
    log.tellLeftOut();
    log.tellLeftOut();
    await log.settled();
    const read = (await stored()).map((bytes) => readAudit(bytes)).flatMap((one) => (one.ok ? [one.value] : []));
    expect(read).toHaveLength(2 * BURST + 1);
    expect(read.at(-1)).toMatchObject({
      what: 'left_out',
      rule: '9 login, 3 join',
      detail: { login: 9, join: 3 },
    });
    expect(log.counts.logins.get('refuse')).toBe(BURST + 9);
  });

  it('what was too fast to be looked at is counted, and not recorded', () => {
    const log = aLog();
    log.append(entry('refusal', { reason: 'slow_down' }), POLICY);
    log.countLogin('slow_down');
    log.refuse({ caller: null, digest: null, code: 'slow_down' });
    expect(log.end.number).toBe(-1);
    expect([log.counts.decisions.get('slow_down'), log.counts.logins.get('slow_down')]).toEqual([1, 1]);
  });
});
