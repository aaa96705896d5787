/** Rules of returns that another gateway has stored: the caller is told what is stored, once, and few readings are made for many. */
import { setImmediate as turn } from 'node:timers/promises';
import type { records } from '@natrium/wire';
import { ActiveJobs } from './active-jobs.js';
import type { News } from './news.js';
import { ReturnedElsewhere } from './returned-elsewhere.js';

const JID = '20261120141646000001';
const hexOf = (id: string) => Buffer.from(id.padEnd(32)).toString('hex');

/** A gateway with one job, whose store answers when the test says so. */
class AGateway {
  readonly heard: News[] = [];
  /** What is stored by minion; a test adds to it. */
  readonly stored = new Map<string, string>();
  readonly problems: unknown[] = [];
  /** One for each reading under way. */
  readonly reading: { go(): void; fail(cause: unknown): void }[] = [];
  readings = 0;
  readonly jobs: ActiveJobs;
  readonly elsewhere: ReturnedElsewhere;
  #timeIsUp: () => void = () => undefined;

  constructor(...ids: readonly string[]) {
    const members = ids.map((id) => ({ id, key: Uint8Array.from(Buffer.from(hexOf(id), 'hex')) }));
    const record = { jid: JID, members, request: Uint8Array.of(7) } as unknown as records.JobRecord;
    this.jobs = new ActiveJobs({
      after: (_, run) => {
        this.#timeIsUp = run;
        return () => undefined;
      },
    });
    const job = this.jobs.start(record, 'digest', (key) => Buffer.from(key).toString('hex'));
    job.listeners.add((news) => this.heard.push(news));
    this.jobs.watch(job, 1, 2);
    const storedReturns = () => {
      this.readings += 1;
      return new Promise<readonly records.StoredReturn[]>((resolve, reject) => {
        const go = () => {
          resolve([...this.stored].map(([id, ret]) => aReturn(id, ret)));
        };
        this.reading.push({ go, fail: reject });
      });
    };
    const onProblem = (_: unknown, cause: unknown) => this.problems.push(cause);
    this.elsewhere = new ReturnedElsewhere({ storedReturns, onProblem }, this.jobs);
  }

  /** They are stored elsewhere, and that is announced in one message. */
  announce(...ids: readonly string[]): Promise<void> {
    for (const id of ids) this.stored.set(id, `${id} there`);
    for (const id of ids) this.elsewhere.announced(JID, id);
    return turn();
  }

  /** The reading under way sees what is stored now. */
  read(): Promise<void> {
    this.reading.shift()?.go();
    return turn();
  }

  returnsHere(id: string): void {
    const job = this.jobs.byJid(JID);
    if (job?.gathering.returned(hexOf(id)) === 'first')
      this.jobs.heard(job, { id, ret: `${id} here`, retcode: 0, success: true });
  }

  timeIsUp(): void {
    this.#timeIsUp();
  }

  get told(): readonly unknown[] {
    return this.heard.flatMap(({ returns }) => returns.map(({ ret }) => ret));
  }
}

function aReturn(id: string, ret: string): records.StoredReturn {
  return { jid: JID, id, status: 'done', outcome: { ret, retcode: 0, success: true, out: null }, at: 0 };
}

it('what another gateway has stored is told while the time is not up, and the end with the last', async () => {
  const gateway = new AGateway('a', 'b');
  await gateway.announce('a');
  await gateway.read();
  expect([gateway.told, gateway.heard.at(-1)?.end]).toEqual([['a there'], null]);
  await gateway.announce('b');
  await gateway.read();
  expect([gateway.told, gateway.heard.at(-1)?.end]).toEqual([['a there', 'b there'], []]);
  expect(gateway.jobs.all()).toEqual([]);
});

it('nothing is told that is announced and not stored', async () => {
  const gateway = new AGateway('a');
  gateway.elsewhere.announced(JID, 'a');
  await turn();
  await gateway.read();
  expect([gateway.readings, gateway.heard]).toEqual([1, []]);
});

it('nothing is read for a job that is not gathered here, nor for one whose caller has heard its end', async () => {
  const gateway = new AGateway('a', 'b');
  gateway.elsewhere.announced('20261120141646000002', 'a');
  gateway.timeIsUp();
  await gateway.announce('a');
  expect([gateway.readings, gateway.heard.length, gateway.told]).toEqual([0, 1, []]);
});

it('nothing is read for a minion that was not asked, nor for one that has returned here', async () => {
  const gateway = new AGateway('a', 'b');
  gateway.returnsHere('a');
  await gateway.announce('a', 'stranger');
  expect([gateway.readings, gateway.told]).toEqual([0, ['a here']]);
});

it('a return that comes here while what is stored is read is told once, and so is one that comes afterwards', async () => {
  const gateway = new AGateway('a', 'b', 'c');
  await gateway.announce('a', 'b');
  gateway.returnsHere('a');
  await gateway.read();
  gateway.returnsHere('b');
  expect(gateway.told).toEqual(['a here', 'b there']);
});

it('a job that ends while what is stored is read has no news after its end', async () => {
  const gateway = new AGateway('a', 'b');
  await gateway.announce('a');
  gateway.timeIsUp();
  await gateway.read();
  expect([gateway.told, gateway.heard.length]).toEqual([[], 1]);
});

it('of very many one reading is under way, and one more is made for all that are announced meanwhile', async () => {
  const ids = Array.from({ length: 3000 }, (_, n) => `m${String(n)}`);
  const gateway = new AGateway(...ids);
  await gateway.announce(...ids.slice(0, 1000));
  for (const id of ids.slice(1000)) gateway.elsewhere.announced(JID, id);
  await turn();
  expect(gateway.readings).toBe(1);
  await gateway.read(); // sees the first thousand
  await gateway.announce(...ids.slice(1000));
  expect(gateway.readings).toBe(2);
  await gateway.read();
  expect([gateway.readings, gateway.told.length, gateway.heard.length]).toEqual([2, 3000, 2]);
  expect(gateway.heard.at(-1)?.end).toEqual([]);
});

it('what cannot be read is told with the next that is announced', async () => {
  const gateway = new AGateway('a', 'b', 'c');
  await gateway.announce('a');
  gateway.reading.shift()?.fail('no leader');
  await turn();
  expect([gateway.problems, gateway.told]).toEqual([['no leader'], []]);
  await gateway.announce('b');
  await gateway.read();
  expect(gateway.told).toEqual(['a there', 'b there']);
});
