/** Rules of reading the audit of a cluster: page by page to the end, every record once. */
import { jest } from '@jest/globals';
import { encode } from '@natrium/envelope';
import { ok, type Value } from '@natrium/model';
import type { OpenMaster } from '../link/open-master.js';
import { readAudit } from './read-audit.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function groupOf(chain: string, first: number, ...texts: readonly string[]): Value {
  return { chain, first, at: 0, records: texts.map(base64) };
}

/** Its bytes are not verified here. */
const headAt = (chain: string, number: number): Value => ({
  bytes: Buffer.from(encode([chain, number])).toString('base64'),
  signature: '',
});

/** An acl-service that hands out these pages, and whose job cache is not for this account. */
function aMaster(...pages: readonly (readonly Value[])[]) {
  const asked: unknown[] = [];
  const admin = (_what: string, fun: string, [ask]: readonly Value[]) => {
    if (fun === 'audit.heads') return Promise.resolve(ok({ heads: [] }));
    asked.push(ask);
    const next = asked.length;
    return Promise.resolve(ok({ groups: pages[next - 1] ?? [], next, last: next >= pages.length }));
  };
  const storageKeys = () => {
    throw new Error('not for this account');
  };
  return { asked, master: { client: { admin }, keys: { storageKeys, chain: () => [] } } as unknown as OpenMaster };
}

async function readFrom(...pages: readonly (readonly Value[])[]) {
  const { master, asked } = aMaster(...pages);
  const heard: number[] = [];
  const read = await readAudit(master, (records) => heard.push(records));
  const records = read.ok ? read.value.records : [];
  return { asked, heard, records: records.map((one) => [one.chain, one.number, Buffer.from(one.bytes).toString()]) };
}

it('asks from the first record on for the next page until the last, and says how many records each had', async () => {
  const { asked, heard, records } = await readFrom([groupOf('b', 0, 'x', 'y')], [], [groupOf('a', 0, 'z')]);
  expect(asked).toEqual([0, 1, 2].map((from) => ({ from, limit: 1000 })));
  expect(heard).toEqual([2, 0, 1]);
  expect(records).toEqual([['a', 0, 'z'], ['b', 0, 'x'], ['b', 1, 'y']]); // prettier-ignore
});

it('has a record once whose group has grown and came again', async () => {
  const { records } = await readFrom([groupOf('a', 0, 'x'), groupOf('a', 1, 'y')], [groupOf('a', 1, 'y', 'z')]);
  expect(records).toEqual([['a', 0, 'x'], ['a', 1, 'y'], ['a', 2, 'z']]); // prettier-ignore
});

it('has every record that differs from another in the same place, as they are kept, and those of other chains', async () => {
  const { records } = await readFrom([groupOf('a', 0, 'x', 'y')], [groupOf('a', 1, 'v'), groupOf('b', 1, 'y')], [groupOf('a', 1, 'y')]); // prettier-ignore
  expect(records).toEqual([['a', 0, 'x'], ['a', 1, 'y'], ['a', 1, 'v'], ['b', 1, 'y']]); // prettier-ignore
});

it('takes the cut from the last page that is read: an archive may be made meanwhile', async () => {
  const bytes = base64('cut');
  const pages = [{ next: 1, last: false, cut: { bytes: base64('older'), signature: '' } }, { next: 2, last: true, cut: { bytes, signature: '' } }]; // prettier-ignore
  const answers = pages.map((page) => ok({ groups: [], ...page }));
  const admin = (_what: string, fun: string) =>
    Promise.resolve(fun === 'audit.heads' ? ok({ heads: [] }) : answers.shift());
  const { master } = aMaster();
  const read = await readAudit({ ...master, client: { admin } } as unknown as OpenMaster, () => undefined);
  expect(read.ok && Buffer.from(read.value.cut?.bytes ?? []).toString()).toBe('cut');
});

describe('a record that a head names and that is not there', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Other replicas write all the while: each page is the last one, has a record of theirs, and takes so many ms. */
  async function reading(writtenAt: number, ms: number) {
    let pages = 0;
    const admin = (_what: string, fun: string) => {
      if (fun === 'audit.heads') return Promise.resolve(ok({ heads: [headAt('a', 0)] }));
      jest.advanceTimersByTime(ms);
      const own = pages === writtenAt ? [groupOf('a', 0, 'x')] : [];
      return Promise.resolve(ok({ groups: [groupOf('b', pages, 'y'), ...own], next: (pages += 1), last: true }));
    };
    const { master } = aMaster();
    const read = await readAudit({ ...master, client: { admin } } as unknown as OpenMaster, () => undefined);
    return { pages, chains: [...new Set(read.ok ? read.value.records.map(({ chain }) => chain) : [])] };
  }

  it('is waited for while a busy acl-service writes it, however much the others write', async () => {
    expect(await reading(30, 200)).toEqual({ pages: 31, chains: ['a', 'b'] });
  });

  it('and is missing after ten seconds', async () => {
    expect(await reading(99, 2000)).toEqual({ pages: 5, chains: ['b'] });
  });

  it('and after a reading that took longer is waited for once', async () => {
    expect(await reading(1, 20_000)).toEqual({ pages: 2, chains: ['a', 'b'] });
    expect(await reading(99, 20_000)).toEqual({ pages: 2, chains: ['b'] });
  });
});
