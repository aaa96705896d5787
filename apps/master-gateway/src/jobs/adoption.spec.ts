/** Rules of what becomes of a dead gateway's jobs. */
import { encodeRequest, sodiumReady } from '@natrium/envelope';
import type { SignedRequest } from '@natrium/flow';
import { aRequest } from '@natrium/testing';
import type { records } from '@natrium/wire';
import { Adoption } from './adoption.js';

const NOW = 1_795_000_000_000;
beforeAll(sodiumReady);

const left = (jid: string, change: Partial<records.AskedJob> = {}) => ({
  place: `place of ${jid}`,
  asked: {
    request: encodeRequest(aRequest(NOW, { timeout: 5 })),
    signature: new Uint8Array(64),
    callerKey: new Uint8Array(32),
    batch: null,
    jid,
    instance: 'gw9',
    started: NOW - 1000,
    ...change,
  },
});

interface Left {
  jobs: readonly ReturnType<typeof left>[];
  moved?: readonly ReturnType<typeof left>[];
  /** Jids of those of which it is known what was granted. */
  readonly granted: readonly string[];
  take?: () => Promise<undefined>;
  tell?: () => Promise<void>;
}

function anAdoption(there: Left) {
  const { granted } = there;
  const taken: SignedRequest[] = [];
  const from: (string | undefined)[] = [];
  const settled: SignedRequest[] = [];
  const forgotten: string[] = [];
  const told: (readonly [instance: string, jids: readonly string[]])[] = [];
  const adoption = new Adoption({
    cache: {
      leftBy: () => Promise.resolve(there.jobs.map((job) => ({ ...job, isGranted: granted.includes(job.asked.jid) }))),
      movedFrom: () => there.moved ?? [],
      forget: (instance) => Promise.resolve(forgotten.push(instance)),
    },
    takeover: {
      take: (ask, instance) => {
        taken.push(ask);
        from.push(instance);
        return there.take?.() ?? Promise.resolve(undefined);
      },
      settle: (ask) => {
        settled.push(ask);
        return Promise.resolve();
      },
    },
    tell: (instance, jobs) => {
      told.push([instance, jobs.map(({ asked }) => asked.jid)]);
      return there.tell?.() ?? Promise.resolve();
    },
    own: 'gw1',
    now: () => NOW,
    onAdopted: () => undefined,
  });
  return { adoption, taken, from, settled, forgotten, told };
}

it('a job whose time is over is not begun again; of one of which nobody knows what was granted that is found out', async () => {
  const over = { started: NOW - 6000 };
  const jobs = [left('1', over), left('2', over), left('3'), left('4')];
  const { adoption, taken, settled } = anAdoption({ jobs, granted: ['1', '3'] });
  await adoption.adopt('gw9', true);
  expect(settled.map(({ bytes }) => bytes)).toEqual([jobs[1]?.asked.request]);
  expect(taken.map(({ bytes }) => bytes)).toEqual([jobs[2], jobs[3]].map((job) => job?.asked.request));
});

it('a batch is asked for as the batch that it was', async () => {
  const { adoption, taken } = anAdoption({ jobs: [left('1', { batch: ['web1'] }), left('2')], granted: [] });
  await adoption.adopt('gw9', true);
  expect(taken.map(({ batch, place }) => [batch, place])).toEqual([
    [['web1'], 'place of 1'],
    [undefined, undefined],
  ]);
});

it.each([
  ['nobody has signed', { signature: null }],
  ['nobody has a key', { callerKey: null }],
])('a job that %s for cannot be asked for again', async (_, change) => {
  const { adoption, taken } = anAdoption({ jobs: [left('1', change)], granted: [] });
  await adoption.adopt('gw9', true);
  expect(taken).toEqual([]);
});

it('a gateway is forgotten when all of its jobs are taken care of, and not when it may come back', async () => {
  const gone = anAdoption({ jobs: [left('1')], granted: ['1'] });
  await gone.adoption.adopt('gw9', true);
  expect(gone.forgotten).toEqual(['gw9']);
  const silent = anAdoption({ jobs: [left('1')], granted: ['1'] });
  await silent.adoption.adopt('gw9', false);
  expect([silent.taken.length, silent.forgotten]).toEqual([1, []]);
});

it('one that fails keeps no other from being taken care of, and the gateway is looked at again', async () => {
  const { adoption, taken, settled, forgotten } = anAdoption({
    jobs: [...Array.from({ length: 12 }, (_, n) => left(String(n))), left('over', { started: NOW - 6000 })],
    granted: [],
    take: () => Promise.reject(new Error('timeout')),
  });
  await expect(adoption.adopt('gw9', true)).rejects.toThrow('timeout');
  expect([taken.length, settled.length, forgotten]).toEqual([12, 1, []]);
});

it('one that failed is tried again also where it is written down as of this gateway by then, before the other is forgotten', async () => {
  const there: Left = { jobs: [left('1')], granted: [] };
  there.take = () => {
    there.jobs = []; // the move took effect, and nobody heard of it
    return Promise.reject(new Error('no leader'));
  };
  const { adoption, taken, forgotten } = anAdoption(there);
  await expect(adoption.adopt('gw9', true)).rejects.toThrow('no leader');
  expect([taken.length, forgotten]).toEqual([1, []]);
  await expect(adoption.adopt('gw9', true)).rejects.toThrow('no leader');
  expect([taken.length, forgotten]).toEqual([2, []]);
});

it('one whose gateway is not gone after all is gone on with here where it is written down as ours, else left to it', async () => {
  for (const isOurs of [true, false]) {
    const job = left('1');
    const there: Left = { jobs: [job], granted: [] };
    there.take = () => Promise.reject(new Error('no leader'));
    const { adoption, taken } = anAdoption(there);
    await expect(adoption.adopt('gw9', false)).rejects.toThrow('no leader');
    there.jobs = isOurs ? [job] : []; // of this gateway, when it is asked for those
    there.take = () => Promise.resolve(undefined);
    await adoption.back('gw9');
    await adoption.back('gw9');
    expect(taken).toHaveLength(isOurs ? 2 : 1);
  }
});

it('a job is taken from the gateway that is gone, and from nobody who goes on with it since', async () => {
  const { adoption, from } = anAdoption({ jobs: [left('20261120141646000001')], granted: ['20261120141646000001'] });
  await adoption.adopt('gw9', true);
  expect(from).toEqual(['gw9']);
});

it('is told of on the bus, jobs that are over too, while nobody decides on those that are open, and before it is forgotten', async () => {
  const there: Left = { jobs: [left('1'), left('2', { started: NOW - 6000 })], granted: ['1', '2'] };
  const { adoption, told, forgotten } = anAdoption(there);
  let decide: () => void = () => undefined;
  const decided = new Promise<undefined>((resolve) => {
    decide = () => {
      resolve(undefined);
    };
  });
  there.take = () => decided;
  const isTold = new Promise<void>((resolve) => {
    there.tell = async () => {
      resolve();
    };
  });
  const adopted = adoption.adopt('gw9', true);
  await isTold;
  expect([told, forgotten]).toEqual([[['gw9', ['1', '2']]], []]);
  decide();
  await adopted;
  expect([told.length, forgotten]).toEqual([1, ['gw9']]);
});

it('is told of again with those jobs of which it was found out only then what was granted', async () => {
  const over = { started: NOW - 6000 };
  const { adoption, told, settled } = anAdoption({ jobs: [left('1', over), left('2', over)], granted: ['1'] });
  await adoption.adopt('gw9', true);
  expect(told).toEqual([
    ['gw9', ['1', '2']],
    ['gw9', ['2']],
  ]);
  expect(settled).toHaveLength(1);
});

it('is told of once more when that failed, also of jobs that are ours by then; not when it is there again', async () => {
  for (const isBack of [false, true]) {
    const there: Left = { jobs: [left('1'), left('2')], granted: ['1', '2', '3'] };
    const { adoption, told, forgotten } = anAdoption(there);
    there.tell = () => Promise.reject(new Error('no leader'));
    await expect(adoption.adopt('gw9', true)).rejects.toThrow('no leader');
    expect(forgotten).toEqual([]);
    there.jobs = [left('2'), left('3')];
    delete there.tell;
    if (isBack) await adoption.back('gw9');
    await adoption.adopt('gw9', true);
    expect(told.at(-1)).toEqual(['gw9', isBack ? ['2', '3'] : ['1', '2', '3']]);
  }
});

it('is told of with jobs that callers had gone on with here before it was known to be gone, each once', async () => {
  const { adoption, told } = anAdoption({ jobs: [left('2')], moved: [left('1'), left('2')], granted: ['1', '2'] });
  await adoption.adopt('gw9', true);
  expect(told).toEqual([['gw9', ['1', '2']]]);
});

it('is told of also where one of its jobs could not be gone on with', async () => {
  const { adoption, told } = anAdoption({
    jobs: [left('1')],
    granted: ['1'],
    take: () => Promise.reject(new Error('no leader')),
  });
  await expect(adoption.adopt('gw9', true)).rejects.toThrow('no leader');
  expect(told).toEqual([['gw9', ['1']]]);
});
