/** Rules of the spool: a return waits until it is stored, also over a restart, and damage is told and not lost. */
import { jest } from '@jest/globals';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import type { MinionReturn } from '@natrium/flow';
import { Float, parseJid, type Value } from '@natrium/model';
import { until } from '@natrium/testing';
import { LineFile } from './line-file.js';
import { Spool, type SpoolOptions } from './spool.js';
import { lineOf } from './spooled-returns.js';

const JID = parseJid('20261120141646000001')!;

function aReturn(n: number, ret: Value = `result ${n}`): MinionReturn {
  const outcome = { ret, retcode: 0, success: true, out: null };
  return { jid: JID, digest: n.toString(16).padStart(64, '0'), instance: 'gw1', status: 'done', code: null, outcome };
}

let folder: string;
let problems: string[];
let dropped: number[];
let now: number;
const opened: Spool[] = [];
beforeAll(sodiumReady);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-spool-'));
  [problems, dropped, now] = [[], [], 1_800_000_000_000];
});
afterEach(() => {
  // One that is open tries again what it could not write, and makes the folder anew.
  for (const spool of opened.splice(0)) spool.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The end of this turn of the event loop, when returns have been written. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
const path = () => join(folder, 'spool', 'returns');
const unwritable = () => {
  rmSync(join(folder, 'spool'), { recursive: true, force: true });
  writeFileSync(join(folder, 'spool'), 'no folder');
};
/** A disk with room for one line each time that it is asked. */
function oneLineAtATime(work: () => void): void {
  const append = LineFile.prototype.append;
  const small = jest.spyOn(LineFile.prototype, 'append').mockImplementation(function (this: LineFile, text: string) {
    if (text.split('\n').length > 2) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    append.call(this, text);
  });
  work();
  small.mockRestore();
}
const digestsIn = (text: string) =>
  text.split('\n').slice(0, -1).map((line) => Number.parseInt(line.slice(0, 64), 16)); // prettier-ignore
const HOUR_MS = 3_600_000;
const open = (change: Partial<SpoolOptions> = {}) => {
  const spool = new Spool({
    folder: join(folder, 'spool'),
    keepMs: HOUR_MS,
    maxBytes: 64 << 20,
    now: () => now,
    uptime: () => now,
    onProblem: (problem) => problems.push(problem),
    onDropped: (digest) => dropped.push(Number.parseInt(digest, 16)),
    ...change,
  });
  opened.push(spool);
  return spool;
};

describe('the spool', () => {
  it('keeps a return over the agent’s death, without being closed', async () => {
    open().put(aReturn(1, { a: [1, new Float(1), 2n ** 70n], $b: null }));
    await turn();
    expect(open().all()).toEqual([aReturn(1, { a: [1, new Float(1), 2n ** 70n], $b: null })]);
    expect(problems).toEqual([]);
  });

  it('finds a return by its request', () => {
    const spool = open();
    spool.put(aReturn(1));
    expect(spool.get(aReturn(1).digest)).toEqual(aReturn(1));
    expect(spool.get(aReturn(2).digest)).toBeUndefined();
  });

  it('forgets a return beside one that no encoding carries', () => {
    const spool = open();
    const bad = aReturn(1);
    spool.put({ ...bad, outcome: { ...bad.outcome, retcode: 1e20 } });
    spool.put(aReturn(2, 'x'.repeat(5 << 20)));
    spool.put(aReturn(3));
    spool.drop(aReturn(2).digest);
    expect(spool.all().map(({ digest }) => digest)).toEqual([bad.digest, aReturn(3).digest]);
    expect(open().all()).toEqual([aReturn(3)]);
    expect(problems).toContainEqual(expect.stringContaining('no encoding carries'));
  });

  it('writes a large file anew only when little of it still waits', () => {
    const spool = open();
    for (let n = 1; n <= 8; n += 1) spool.put(aReturn(n, 'x'.repeat(1 << 20)));
    const full = statSync(path()).size;
    for (let n = 1; n <= 3; n += 1) spool.drop(aReturn(n).digest);
    expect(statSync(path()).size).toBe(full);
    for (let n = 4; n <= 7; n += 1) spool.drop(aReturn(n).digest);
    expect(statSync(path()).size).toBeLessThan(full / 3);
    expect(open().all()).toEqual([aReturn(8, 'x'.repeat(1 << 20))]);
  });

  it('is its owner’s alone', async () => {
    open().put(aReturn(1));
    await turn();
    expect([statSync(path()).mode & 0o777, statSync(join(folder, 'spool')).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it('drops what is stored, and keeps the rest', () => {
    const spool = open();
    for (const n of [1, 2, 3]) spool.put(aReturn(n));
    spool.drop(aReturn(2).digest);
    spool.drop(aReturn(9).digest);
    expect(spool.all()).toEqual([aReturn(1), aReturn(3)]);
  });

  it('is empty on disk once it was closed with nothing waiting', () => {
    const spool = open();
    spool.put(aReturn(1));
    spool.drop(aReturn(1).digest);
    spool.close();
    expect(readFileSync(path(), 'utf8')).toBe('');
    expect(open().all()).toEqual([]);
  });

  it('keeps the last word on a request', async () => {
    const spool = open();
    spool.put(aReturn(1, 'before'));
    spool.put(aReturn(1, 'after'));
    await turn();
    expect(open().all()).toEqual([aReturn(1, 'after')]);
  });

  it.each([
    ['a torn line', (text: string) => text.slice(0, -30)],
    ['an edited letter', (text: string) => text.replace(/ (\w)(\w+=*) (?=[0-9a-f]{16}\n$)/, ' x$2 ')],
    ['rubbish', (text: string) => `${text}rubbish\n`],
  ])('with %s gives the whole ones, keeps a copy, and says so', async (_about, damage) => {
    const spool = open();
    spool.put(aReturn(1));
    spool.put(aReturn(2));
    await turn();
    const damaged = damage(readFileSync(path(), 'utf8'));
    rmSync(path());
    appendFileSync(path(), damaged, { mode: 0o600 });
    const again = open();
    expect(again.get(aReturn(1).digest)).toEqual(aReturn(1));
    expect(problems).toEqual([expect.stringContaining('damaged')]);
    expect(readFileSync(`${path()}.damaged`, 'utf8')).toBe(damaged);
    expect(statSync(`${path()}.damaged`).mode & 0o077).toBe(0);
    problems = [];
    again.put(aReturn(3));
    await turn();
    expect(open().get(aReturn(3).digest)).toEqual(aReturn(3));
    expect(problems).toEqual([]);
  });

  it('that cannot be written keeps the return in memory, and says so', async () => {
    const spool = open();
    unwritable();
    spool.put(aReturn(1));
    await turn();
    expect(spool.all()).toEqual([aReturn(1)]);
    expect(problems).toEqual([expect.stringContaining(`returns are kept in memory only: ${path()} cannot be written`)]);
    expect(existsSync(path())).toBe(false);
  });

  it('writes what it kept in memory as soon as the disk takes it again, and says so once', async () => {
    const spool = open();
    unwritable();
    spool.put(aReturn(1));
    spool.put(aReturn(2));
    expect(problems).toEqual([expect.stringContaining('kept in memory only')]);
    rmSync(join(folder, 'spool'));
    spool.put(aReturn(3));
    expect(problems.slice(1)).toEqual([expect.stringContaining('can be written again')]);
    expect(open().all()).toEqual([aReturn(1), aReturn(2), aReturn(3)]);
  });

  it('writes each return once to a disk that takes one at a time', () => {
    const spool = open();
    unwritable();
    for (const n of [1, 2, 3]) spool.put(aReturn(n));
    rmSync(join(folder, 'spool'));
    oneLineAtATime(() => {
      for (const n of [4, 5]) spool.put(aReturn(n));
    });
    expect(digestsIn(readFileSync(path(), 'utf8'))).toEqual([1, 2]);
    spool.put(aReturn(6));
    expect(digestsIn(readFileSync(path(), 'utf8'))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(problems.slice(1)).toEqual([expect.stringContaining('can be written again')]);
  });

  it('makes a line of each return once, however many wait for a disk that takes nothing', () => {
    const reads: number[] = [];
    const counted = (n: number): Value =>
      Object.defineProperty({}, 'n', { enumerable: true, get: () => (reads.push(n), n) });
    const spool = open();
    unwritable();
    for (const n of [1, 2, 3]) spool.put(aReturn(n, counted(n)));
    rmSync(join(folder, 'spool'));
    spool.put(aReturn(4, counted(4)));
    const once = reads.filter((n) => n === 4);
    expect(reads).toEqual([1, 2, 3, 4].flatMap((n) => once.map(() => n)));
    expect(open().all()).toEqual([1, 2, 3, 4].map((n) => aReturn(n, { n })));
  });

  it('writes no return that was stored meanwhile', () => {
    const spool = open();
    unwritable();
    for (const n of [1, 2]) spool.put(aReturn(n));
    spool.drop(aReturn(1).digest);
    rmSync(join(folder, 'spool'));
    spool.put(aReturn(3));
    expect(open().all()).toEqual([aReturn(2), aReturn(3)]);
  });

  it('is not stopped by a return that no encoding carries', async () => {
    const spool = open();
    const deep = Array.from({ length: 70 }).reduce<Value>((inner) => [inner], null);
    spool.put(aReturn(1, deep));
    spool.put(aReturn(2));
    await turn();
    expect(problems).toHaveLength(1);
    expect(open().all()).toEqual([aReturn(2)]);
  });
});

const numbers = (spool: Spool) => spool.all().map(({ digest }) => Number.parseInt(digest, 16));
const keptLines = () => readFileSync(path(), 'utf8').split('\n').length - 1;

describe('a return that no gateway has stored', () => {
  it('is dropped after its time when the next one comes, with one line that names its job', () => {
    const spool = open();
    spool.put(aReturn(1));
    now += HOUR_MS - 1;
    spool.put(aReturn(2));
    expect([numbers(spool), problems]).toEqual([[1, 2], []]);
    now += 1;
    spool.put(aReturn(3));
    expect([numbers(spool), dropped]).toEqual([[2, 3], [1]]);
    expect(problems).toEqual([expect.stringMatching(`return of job ${JID} is dropped: .*keep_returns`)]);
  });

  it('is dropped after its time when it would be sent, and when its request comes again', () => {
    const spool = open();
    for (const n of [1, 2]) spool.put(aReturn(n));
    expect(spool.beginSending(aReturn(1).digest)).toEqual(aReturn(1));
    spool.endSending(aReturn(1).digest);
    now += HOUR_MS;
    expect(spool.beginSending(aReturn(1).digest)).toBeUndefined();
    expect(spool.get(aReturn(2).digest)).toBeUndefined();
    expect(dropped).toEqual([1, 2]);
  });

  it('leaves nothing in the file once it was dropped', async () => {
    const spool = open();
    spool.put(aReturn(1));
    now += HOUR_MS;
    expect(spool.get(aReturn(1).digest)).toBeUndefined();
    await until('the file is empty', () => readFileSync(path(), 'utf8') === '');
  });

  it('has its time over restarts, and is dropped at the start once that is over', () => {
    open().put(aReturn(1));
    now += HOUR_MS / 2;
    const again = open();
    again.put(aReturn(2));
    now += HOUR_MS / 2;
    expect(numbers(open())).toEqual([2]);
    expect(dropped).toEqual([1]);
    expect(keptLines()).toBe(1);
  });

  it('came as long ago as it did, also when its request comes again and over a restart', () => {
    const spool = open();
    spool.put(aReturn(1));
    now += 999;
    spool.put(aReturn(1));
    const { jid } = aReturn(1);
    expect([...spool.cameWithin(1000)]).toEqual([jid]);
    expect([...open().cameWithin(1000)]).toEqual([jid]);
    now += 1;
    expect([...spool.cameWithin(1000), ...open().cameWithin(1000)]).toEqual([]);
  });

  it('is as old as it was when its request comes again', () => {
    const spool = open();
    spool.put(aReturn(1));
    now += HOUR_MS - 1;
    spool.put(aReturn(1));
    now += 1;
    expect(spool.get(aReturn(1).digest)).toBeUndefined();
  });

  it.each([
    ['without a time, as before there was one,', undefined],
    ['with a time that is still to come', 1_900_000_000_000],
  ])('%s counts from when it is read', (_about, since) => {
    mkdirSync(join(folder, 'spool'));
    writeFileSync(path(), lineOf({ ret: aReturn(1), since }), { mode: 0o600 });
    expect(numbers(open())).toEqual([1]);
    expect(problems).toEqual([]);
    now += HOUR_MS - 1;
    expect(numbers(open())).toEqual([1]);
    now += 1;
    expect(numbers(open())).toEqual([]);
  });

  it('is not dropped while it is being sent, and then it is', () => {
    const spool = open();
    const { digest } = aReturn(1);
    spool.put(aReturn(1));
    spool.beginSending(digest);
    spool.beginSending(digest);
    now += HOUR_MS;
    spool.put(aReturn(2));
    spool.endSending(digest);
    expect(numbers(spool)).toEqual([1, 2]);
    spool.endSending(digest);
    expect([numbers(spool), dropped]).toEqual([[2], [1]]);
  });
});

describe('a spool that is full', () => {
  /** Room for two. */
  const small = { maxBytes: 3000 };
  const large = (n: number) => aReturn(n, 'x'.repeat(900));

  it('drops the oldest, with a line for each that names its job, and keeps to it over a restart', () => {
    const spool = open(small);
    for (const n of [1, 2]) spool.put(large(n));
    expect(problems).toEqual([]);
    for (const n of [3, 4, 5]) spool.put(large(n));
    // The last to come is about to be sent.
    expect([numbers(spool), dropped]).toEqual([
      [3, 4, 5],
      [1, 2],
    ]);
    const line = expect.stringMatching(`return of job ${JID} is dropped: the spool is full`) as string;
    expect(problems).toEqual([line, line]);
    expect(numbers(open({ maxBytes: 1500 }))).toEqual([5]);
    expect(keptLines()).toBe(1);
  });

  it('does not drop what is being sent, and makes room once that is over', () => {
    const spool = open(small);
    for (const n of [1, 2, 3]) {
      spool.put(large(n));
      spool.beginSending(large(n).digest);
    }
    for (const n of [2, 3]) spool.endSending(large(n).digest);
    expect([numbers(spool), dropped]).toEqual([[1, 2, 3], []]);
    spool.endSending(large(1).digest);
    expect([numbers(spool), dropped]).toEqual([[2, 3], [1]]);
  });

  it('drops nothing that waits for what is on its way and will be gone', () => {
    const spool = open(small);
    for (const n of [1, 2]) spool.put(large(n));
    for (const n of [3, 4, 5]) {
      spool.put(large(n));
      spool.beginSending(large(n).digest);
    }
    for (const n of [3, 4, 5]) {
      spool.drop(large(n).digest);
      spool.endSending(large(n).digest);
    }
    expect([numbers(spool), dropped]).toEqual([[1, 2], []]);
  });

  it('gives a return that is larger than all of it one try, and drops no other for it', () => {
    const spool = open(small);
    for (const n of [1, 2]) spool.put(large(n));
    const { digest } = aReturn(3, 'x'.repeat(5000));
    spool.put(aReturn(3, 'x'.repeat(5000)));
    expect(spool.beginSending(digest)).toBeDefined();
    spool.endSending(digest);
    expect([numbers(spool), dropped]).toEqual([[1, 2], [3]]);
  });

  it('counts the time by a clock that does not jump', () => {
    const spool = open({ uptime: () => 5 });
    spool.put(aReturn(1));
    now += 3 * HOUR_MS;
    spool.put(aReturn(2));
    expect(numbers(spool)).toEqual([1, 2]);
  });

  it('counts what the disk did not take', () => {
    const spool = open(small);
    unwritable();
    for (const n of [1, 2, 3, 4]) spool.put(large(n));
    expect([numbers(spool), dropped]).toEqual([[2, 3, 4], [1]]);
    rmSync(join(folder, 'spool'));
    spool.put(aReturn(5));
    expect(keptLines()).toBe(4);
  });

  it('writes its file anew when little of it waits, also where returns are dropped and not stored', () => {
    const spool = open({ maxBytes: 1 << 20 });
    const sizes = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => {
      spool.put(aReturn(n, 'x'.repeat(700_000)));
      return statSync(path()).size;
    });
    expect(Math.max(...sizes)).toBeLessThan(5 << 20);
    expect(numbers(spool)).toEqual([8, 9]);
  });
});
