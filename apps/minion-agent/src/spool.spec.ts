/** Rules of the spool: a return waits until it is stored, also over a restart, and damage is told and not lost. */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import type { MinionReturn } from '@natrium/flow';
import { Float, parseJid, type Value } from '@natrium/model';
import { Spool } from './spool.js';

const JID = parseJid('20261120141646000001')!;

function aReturn(n: number, ret: Value = `result ${n}`): MinionReturn {
  const outcome = { ret, retcode: 0, success: true, out: null };
  return { jid: JID, digest: n.toString(16).padStart(64, '0'), instance: 'gw1', status: 'done', code: null, outcome };
}

let folder: string;
let problems: string[];
const opened: Spool[] = [];
beforeAll(sodiumReady);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-spool-'));
  problems = [];
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
const open = () => {
  const spool = new Spool(join(folder, 'spool'), (problem) => problems.push(problem));
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
    for (let n = 1; n <= 5; n += 1) spool.drop(aReturn(n).digest);
    expect(statSync(path()).size).toBe(full);
    for (let n = 6; n <= 7; n += 1) spool.drop(aReturn(n).digest);
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
