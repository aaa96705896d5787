/** Rules of the jobs that late returns belong to: one reading for many, and nothing remembered that was not found. */
import type { records } from '@natrium/wire';
import { RecentJobs } from './recent-jobs.js';

const recordOf = (jid: string) => ({ jid }) as records.JobRecord;

class Shelf {
  readonly reads: string[] = [];
  there = new Set<string>();
  /** So many readings get no answer. */
  broken = 0;

  readonly jobs = new RecentJobs(
    (jid) => {
      this.reads.push(jid);
      this.broken -= 1;
      if (this.broken >= 0) return Promise.reject(new Error('no answer'));
      return Promise.resolve(this.there.has(jid) ? recordOf(jid) : undefined);
    },
    () => Promise.resolve(),
  );
}

describe('a job that late returns belong to', () => {
  it('is read once, however many ask, together or later', async () => {
    const shelf = new Shelf();
    shelf.there.add('1');
    const found = await Promise.all([shelf.jobs.find('1'), shelf.jobs.find('1')]);
    expect([...found, await shelf.jobs.find('1')].map((one) => one?.jid)).toEqual(['1', '1', '1']);
    expect(shelf.reads).toEqual(['1']);
  });

  it('is looked for again when it was not there', async () => {
    const shelf = new Shelf();
    expect(await shelf.jobs.find('1')).toBeUndefined();
    shelf.there.add('1');
    expect((await shelf.jobs.find('1'))?.jid).toBe('1');
    expect(shelf.reads).toEqual(['1', '1']);
  });

  it('is read again for all who wait when a reading failed', async () => {
    const shelf = new Shelf();
    shelf.there.add('1');
    shelf.broken = 2;
    const found = await Promise.all(Array.from({ length: 100 }, () => shelf.jobs.find('1')));
    expect(found.every((one) => one?.jid === '1')).toBe(true);
    expect(shelf.reads).toEqual(['1', '1', '1']);
  });

  it('is looked for again when no reading got an answer', async () => {
    const shelf = new Shelf();
    shelf.there.add('1');
    shelf.broken = 3;
    await expect(shelf.jobs.find('1')).rejects.toThrow('no answer');
    expect((await shelf.jobs.find('1'))?.jid).toBe('1');
  });

  it('gives way to newer ones: few are remembered', async () => {
    const shelf = new Shelf();
    for (const jid of ['1', '2', '3', '4', '5']) {
      shelf.there.add(jid);
      await shelf.jobs.find(jid);
    }
    await shelf.jobs.find('5');
    await shelf.jobs.find('1');
    expect(shelf.reads).toEqual(['1', '2', '3', '4', '5', '1']);
  });
});
