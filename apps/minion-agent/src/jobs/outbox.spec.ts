/** Rules of the outbox: what is sent is on the disk already, and what is not stored is neither forgotten nor called finished. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_TRACING } from '@natrium/bus';
import type { Link } from '@natrium/client';
import { sodiumReady, toHex } from '@natrium/envelope';
import type { MinionReturn } from '@natrium/flow';
import { err, ok, parseJid } from '@natrium/model';
import { Outbox } from './outbox.js';
import type { Pace } from './paced-lines.js';
import { Spool, type SpoolOptions } from '../disk/spool.js';

const DIGEST = '1'.padStart(64, '0');
const RETURN: MinionReturn = {
  jid: parseJid('20261120141646000001')!, digest: DIGEST, instance: 'gw1', status: 'done', code: null,
  outcome: { ret: true, retcode: 0, success: true, out: null },
}; // prettier-ignore

let folder: string;
beforeAll(sodiumReady);
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'nt-outbox-'))));
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function aLink(bus: object): Link {
  return {
    own: { fp: 'fp' },
    subjects: { upReturn: () => 'here', up: () => 'any.return' },
    directory: { instance: () => undefined, role: () => [] },
    bus: { tracing: NO_TRACING, ...bus },
  } as unknown as Link;
}

const HOUR_MS = 3_600_000;

const aSpool = (change: Partial<SpoolOptions> = {}) =>
  new Spool({
    folder: join(folder, 'spool'),
    keepMs: HOUR_MS,
    maxBytes: 1 << 20,
    now: () => 0,
    uptime: () => 0,
    onProblem: () => undefined,
    onDropped: () => undefined,
    ...change,
  });

/** Delivers the return; the gateway stores it or not. */
async function deliver(isStored: boolean) {
  const onDisk: boolean[] = [];
  const finished: string[] = [];
  const path = join(folder, 'spool', 'returns');
  const link = aLink({
    deliver: () => {
      onDisk.push(existsSync(path) && readFileSync(path, 'utf8').includes(DIGEST));
      return Promise.resolve(isStored ? ok(undefined) : err('timeout'));
    },
  });
  const spool = aSpool();
  const outbox = new Outbox(link, spool, { finish: (digest) => finished.push(digest) }, () => undefined);
  outbox.deliver(RETURN);
  await new Promise((resolve) => setImmediate(resolve));
  outbox.close();
  return { onDisk, finished, waiting: spool.all() };
}

describe('a return', () => {
  it('is in the spool’s file before the first byte of it is sent', async () => {
    expect((await deliver(true)).onDisk[0]).toBe(true);
  });

  it('is forgotten, and its run finished, when a gateway has stored it', async () => {
    expect(await deliver(true)).toMatchObject({ finished: [DIGEST], waiting: [] });
  });

  it('is kept, and its run not called finished, while no gateway has', async () => {
    expect(await deliver(false)).toMatchObject({ onDisk: [true, true], finished: [], waiting: [RETURN] });
  });
});

describe('what an outage has left', () => {
  it('is sent a few at a time, until all of it is stored', async () => {
    const spool = aSpool();
    const digests = Array.from({ length: 100 }, (_, n) => String(n).padStart(64, '0'));
    for (const digest of digests) spool.put({ ...RETURN, digest });
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    let most = 0;
    const bus = {
      deliver: ({ body }: { readonly body: { readonly digest: Uint8Array } }) => {
        asked.push(toHex(body.digest));
        return new Promise((resolve) => {
          answers.push(() => {
            resolve(ok(undefined));
          });
          most = Math.max(most, answers.length);
        });
      },
    };
    const outbox = new Outbox(aLink(bus), spool, { finish: () => undefined }, () => undefined);
    outbox.sendSpooled();
    while (answers.length > 0) {
      answers.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    outbox.close();
    expect(asked).toEqual(digests);
    expect(most).toBe(16);
    expect(spool.all()).toEqual([]);
  });
});

/** Time that goes on only when the test says so, without any chance in it. */
class ByHand implements Pace {
  #now = 0;
  readonly #timers = new Map<object, { readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.#now;
  }

  random(): number {
    return 0;
  }

  after(ms: number, run: () => void): () => void {
    const timer = {};
    this.#timers.set(timer, { at: this.#now + ms, run });
    return () => this.#timers.delete(timer);
  }

  /** Everything that is due within so many seconds, in its order. */
  async pass(seconds: number): Promise<void> {
    const end = this.#now + seconds * 1000;
    await turn();
    for (;;) {
      const [next] = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
      if (next === undefined) break;
      const [timer, { at, run }] = next;
      this.#timers.delete(timer);
      this.#now = at;
      run();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now = end;
  }
}

interface Delivery {
  readonly body: { readonly digest: Uint8Array };
  readonly subject: string;
}

/** Gateways of which nobody says that a return is stored until `knows`; each question ends as `says` after what it waits for. */
function aDeafGateway(says: 'timeout' | 'no_responders' = 'timeout', spooling: Partial<SpoolOptions> = {}) {
  const pace = new ByHand();
  const spool = aSpool({ now: () => pace.now(), uptime: () => pace.now(), ...spooling });
  const asked: { readonly digest: string; readonly subject: string; readonly at: number; readonly waits: number }[] =
    [];
  const finished: string[] = [];
  const world = { pace, spool, asked, finished, knows: (_digest: string) => false, storesIn: 0 };
  const bus = {
    deliver: ({ body, subject }: Delivery, waits: number) => {
      const digest = toHex(body.digest);
      asked.push({ digest, subject, at: pace.now() / 1000, waits: waits / 1000 });
      const knows = world.knows(digest);
      const answer = knows ? ok(undefined) : err(says);
      const ms = knows ? world.storesIn : says === 'no_responders' ? 0 : waits;
      if (ms === 0) return Promise.resolve(answer);
      return new Promise((resolve) => {
        pace.after(ms, () => {
          resolve(answer);
        });
      });
    },
  };
  const record = { finish: (digest: string) => finished.push(digest) };
  return { ...world, world, outbox: new Outbox(aLink(bus), spool, record, () => undefined, pace) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a return that no gateway has a job for', () => {
  it('is sent less and less often, each time with more patience', async () => {
    const { outbox, pace, asked } = aDeafGateway();
    outbox.deliver({ ...RETURN, instance: '' });
    await pace.pass(60);
    const early = asked.map(({ at, waits }) => [at, waits]);
    await pace.pass(600);
    outbox.close();
    expect(early.map(([, waits]) => waits)).toEqual([5.002, 5.002, 10.004, 10.004]);
    expect(early.map(([at]) => Math.round(at ?? 0))).toEqual([0, 10, 20, 40]);
    const pauses = asked.slice(1).map(({ at }, n) => Math.round(at - asked[n]!.at));
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses.at(-1)).toBeGreaterThan(80);
    expect(asked.length).toBeLessThan(16); // every five seconds they were 66
  });

  it('gets through once the job is known', async () => {
    const { outbox, pace, world, spool } = aDeafGateway();
    outbox.deliver(RETURN);
    await pace.pass(300);
    expect(spool.all()).toEqual([RETURN]);
    world.knows = () => true;
    await pace.pass(200);
    outbox.close();
    expect(spool.all()).toEqual([]);
  });

  it('does not keep others waiting, however many there are of its kind', async () => {
    const { outbox, pace, world, spool } = aDeafGateway();
    const digest = (n: number) => String(n).padStart(64, '0');
    for (let n = 0; n < 100; n += 1) outbox.deliver({ ...RETURN, digest: digest(n) });
    await pace.pass(600);
    world.knows = (one) => one === digest(500);
    spool.put({ ...RETURN, digest: digest(500) });
    outbox.sendSpooled();
    // Of the others, too, each is due now: the line of those that were never tried is the first.
    await pace.pass(70);
    outbox.close();
    expect(spool.get(digest(500))).toBeUndefined();
    expect(spool.all()).toHaveLength(100);
  });
});

describe('while there is no gateway at all', () => {
  it('a return is sent every few seconds: nobody is burdened, and the first to come gets it', async () => {
    const { outbox, pace, asked } = aDeafGateway('no_responders');
    outbox.deliver({ ...RETURN, instance: '' });
    await pace.pass(600);
    outbox.close();
    expect(asked.length).toBeGreaterThan(100);
  });
});

describe('a return of a job to many', () => {
  it('waits longer for its answer: all of them come at once', async () => {
    const { outbox, pace, asked } = aDeafGateway();
    outbox.deliver({ ...RETURN, instance: '' }, 10_000);
    await turn();
    expect(asked.map(({ waits }) => waits)).toEqual([25]);
    await pace.pass(200);
    outbox.close();
    expect(Math.max(...asked.map(({ waits }) => waits))).toBe(50);
  });
});

describe('a return that no gateway has stored in time', () => {
  it('is sent no more', async () => {
    const { outbox, pace, asked, spool } = aDeafGateway('timeout', { keepMs: 300_000 });
    outbox.deliver({ ...RETURN, instance: '' });
    await pace.pass(300);
    const before = asked.length;
    await pace.pass(6000);
    outbox.close();
    expect(before).toBeGreaterThan(4);
    expect(asked).toHaveLength(before);
    expect(spool.all()).toEqual([]);
  });

  it('is not dropped while it is being sent: what the gateway says then still counts', async () => {
    const dropped: string[] = [];
    const { outbox, pace, world, spool, finished } = aDeafGateway('timeout', {
      keepMs: 3000,
      onDropped: (digest) => dropped.push(digest),
    });
    world.knows = () => true;
    world.storesIn = 4000;
    outbox.deliver(RETURN);
    await pace.pass(3.5);
    expect(spool.get(DIGEST)).toEqual(RETURN);
    await pace.pass(1);
    outbox.close();
    expect({ dropped, finished, waiting: spool.all() }).toEqual({ dropped: [], finished: [DIGEST], waiting: [] });
  });
});

describe('a return that is larger than the whole spool', () => {
  const large = { ...RETURN, instance: '', outcome: { ...RETURN.outcome, ret: 'x'.repeat(3000) } };

  it('is sent once, and dropped when nobody stores it', async () => {
    const { outbox, pace, asked, spool } = aDeafGateway('timeout', { maxBytes: 1000 });
    outbox.deliver(large);
    await pace.pass(100);
    outbox.close();
    expect(asked).toHaveLength(1);
    expect(spool.all()).toEqual([]);
  });
});

describe('when the broker is back after it was away', () => {
  const times = (asked: readonly { readonly at: number }[]) => asked.map(({ at }) => at);

  it('a return that waits for its next time is sent at once', async () => {
    const { outbox, pace, asked, world, spool } = aDeafGateway();
    outbox.deliver(RETURN);
    await pace.pass(12);
    world.knows = () => true;
    const before = asked.length;
    outbox.brokerIsBack();
    await turn();
    outbox.close();
    expect(times(asked.slice(before))).toEqual([12]);
    expect(spool.all()).toEqual([]);
  });

  it('a return whose first sending was lost with the connection is sent again a second later, to who asked', async () => {
    const { outbox, pace, asked, world, spool } = aDeafGateway();
    outbox.deliver(RETURN);
    await pace.pass(2);
    world.knows = () => true;
    outbox.brokerIsBack();
    await pace.pass(2);
    outbox.close();
    expect(asked.map(({ at, subject }) => [at, subject])).toEqual([
      [0, 'here'],
      [3.002, 'here'],
    ]);
    expect(spool.all()).toEqual([]);
  });

  it('a return that is on its way is not sent twice: what is answered soon is stored', async () => {
    const { outbox, pace, asked, world, spool } = aDeafGateway();
    world.knows = () => true;
    world.storesIn = 900;
    outbox.deliver(RETURN);
    await turn();
    outbox.brokerIsBack();
    await pace.pass(60);
    outbox.close();
    expect(times(asked)).toEqual([0]);
    expect(spool.all()).toEqual([]);
  });

  it('one of a job to many is given the time that all of them take', async () => {
    const { outbox, pace, asked, world } = aDeafGateway();
    world.knows = () => true;
    world.storesIn = 20_000;
    outbox.deliver(RETURN, 10_000);
    await turn();
    outbox.brokerIsBack();
    await pace.pass(60);
    outbox.close();
    expect(times(asked)).toEqual([0]);
  });

  it('no more are under way than ever, and those that were tried often wait as long as before', async () => {
    const { outbox, pace, asked } = aDeafGateway();
    const digest = (n: number) => String(n).padStart(64, '0');
    for (let n = 0; n < 100; n += 1) outbox.deliver({ ...RETURN, instance: '', digest: digest(n) });
    await pace.pass(1200);
    const before = asked.length;
    outbox.brokerIsBack();
    await pace.pass(70);
    outbox.close();
    const again = asked.slice(before);
    // Each has ten seconds for its answer, but for the four that were on their way: they are sent once more.
    const most = Math.max(...again.map(({ at }) => again.filter((one) => one.at > at - 10 && one.at <= at).length));
    expect(most).toBe(4);
    expect(again.length - new Set(again.map((one) => one.digest)).size).toBeLessThanOrEqual(4);
  });

  it('nothing that is stored is sent again', async () => {
    const { outbox, pace, asked, world } = aDeafGateway();
    world.knows = () => true;
    outbox.deliver(RETURN);
    await turn();
    outbox.brokerIsBack();
    await pace.pass(60);
    outbox.close();
    expect(times(asked)).toEqual([0]);
  });
});

describe('a return that was delivered twice', () => {
  it('is not sent again by the one once the other was stored', async () => {
    const { outbox, pace, asked, world } = aDeafGateway();
    outbox.deliver({ ...RETURN, instance: '' });
    await turn();
    world.knows = () => true;
    outbox.deliver({ ...RETURN, instance: '' });
    await pace.pass(600);
    outbox.close();
    expect(asked).toHaveLength(2);
  });
});
