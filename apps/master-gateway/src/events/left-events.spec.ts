/** Rules of what is said for a gateway that is gone: what is missing in the journal, and that once, whoever says it. */
import { MemoryJournal, MemoryStore, type Reading, Unstorable } from '@natrium/bus';
import { encodeRequest, sodiumReady } from '@natrium/envelope';
import { EventLog, type Heard, JournaledBus, type Listening, stampOf } from '@natrium/events';
import { jidOf } from '@natrium/model';
import { aRequest } from '@natrium/testing';
import type { records } from '@natrium/wire';
import { JobCache } from '../jobs/job-cache.js';
import type { PlacedJob } from '../jobs/job-records.js';
import { JobEvents } from './job-events.js';
import { LeftEvents } from './left-events.js';

const DIED = Date.UTC(2026, 10, 20, 14, 16, 46);
const NOW = DIED + 4000;
const TWO_DAYS_MS = 2 * 86_400_000;
const ORIGIN = { kind: 'service', name: 'gateway' } as const;
beforeAll(sodiumReady);

/** Counts its readers, and takes no message that is larger than it may be. */
class AJournal extends MemoryJournal {
  reads = 0;
  most = Infinity;

  override append(subject: string, value: Uint8Array, expectedLast: number): Promise<number | undefined> {
    if (value.length > this.most) return Promise.reject(new Unstorable('too large'));
    return super.append(subject, value, expectedLast);
  }

  override read(...what: Parameters<MemoryJournal['read']>): Reading {
    this.reads += 1;
    return super.read(...what);
  }
}

class AWorld {
  readonly journal = new AJournal();
  readonly store = new MemoryStore('jobs');
  readonly problems: string[] = [];
  readonly dead: JobCache;
  readonly #buses: JournaledBus[] = [];

  constructor(private readonly now = NOW) {
    this.dead = this.cacheOf('dead');
  }

  cacheOf(instance: string): JobCache {
    return new JobCache([this.store], { instance, now: () => this.now });
  }

  /** Another gateway, which says what the dead one has not. */
  async gateway(name: string, afterReading?: () => Promise<unknown>, maxBytes = 1 << 20) {
    const log = new EventLog(this.journal, (sender) => sender);
    const onProblem = (problem: string) => this.problems.push(problem);
    const bus = await JournaledBus.open({
      log,
      sender: `gw-${name}`,
      maxBytes: 1 << 20,
      now: () => this.now,
      onProblem,
    });
    this.#buses.push(bus);
    const cache = this.cacheOf(name);
    const jobs = new JobEvents(bus, 1 << 20);
    const reading = {
      subscribe: (listen: Parameters<JournaledBus['subscribe']>[0]) => readBy(bus.subscribe(listen), afterReading),
    };
    const left = new LeftEvents({ log, bus: reading, jobs, cache, maxBytes, now: () => this.now, onProblem });
    const isTheirs = (only: string | undefined) => (job: PlacedJob) => only === undefined || job.asked.jid === only;
    return {
      bus,
      cache,
      tell: async (only?: string, gone = 'dead') => left.tell(gone, (await cache.leftBy(gone)).filter(isTheirs(only))),
    };
  }

  /** A job of the dead gateway that began so long before its death. */
  async job(beforeMs: number, change: Partial<records.AskedJob> = {}): Promise<string> {
    const jid = jidOf((DIED - beforeMs) * 1000);
    const place = jid.padStart(64, '0');
    const request = encodeRequest(aRequest(DIED, { timeout: 5 }));
    const started = DIED - beforeMs;
    const asked = { request, signature: null, callerKey: null, batch: null, jid, instance: 'dead', started, ...change };
    await this.dead.create(asked, place);
    const granted = { caller: { kind: 'account', name: 'alice' } as const, members: [], missing: [] };
    const grant = { bytes: Uint8Array.of(1), signature: new Uint8Array(64) };
    await this.dead.keepGrant({ ...asked, ...granted, grant }, place);
    return jid;
  }

  /** What the dead one said, or another, as the journal has it. */
  async said(tags: readonly string[], atMs = DIED, sender = 'gw-dead'): Promise<void> {
    const log = new EventLog(this.journal, (one) => one);
    const first = (await log.lastOf(sender)) + 1;
    const stamp = stampOf(atMs);
    const events = tags.map((tag, at) => ({ number: first + at, tag, data: dataOf(tag), stamp, origin: ORIGIN }));
    await log.append(sender, events, first + tags.length - 1);
  }

  /** Who says what the journal has, in its order. */
  async told(): Promise<readonly string[]> {
    return (await this.heard()).map(({ id, tag }) => `${id.split('.')[0] ?? ''} ${tag}`);
  }

  async heard(): Promise<readonly Heard[]> {
    const { bus } = await this.gateway('reader');
    const heard: Heard[] = [];
    for await (const event of bus.subscribe({ from: 'start', until: 'now' })) heard.push(event);
    return heard;
  }

  async stop(): Promise<void> {
    for (const bus of this.#buses) await bus.close();
  }
}

/** Hears all that `listening` does, and then lets something happen. */
function readBy(listening: Listening, afterReading: () => Promise<unknown> = () => Promise.resolve()): Listening {
  const all = async function* () {
    yield* listening;
    await afterReading();
  };
  return Object.assign(all(), {
    take: () => listening.take(),
    bookmark: undefined,
    close: () => {
      listening.close();
    },
  });
}

function dataOf(tag: string): { readonly jid: string } | Record<string, never> {
  const [, jid] = /^salt\/job\/(\d+)\//.exec(tag) ?? [];
  return jid === undefined ? {} : { jid };
}

const aReturn = (jid: string, id: string, at = DIED): records.StoredReturn => ({
  ...{ jid, id, status: 'done', at },
  outcome: { ret: true, retcode: 0, success: true, out: null },
});
const startOf = (jid: string) => [jid, `salt/job/${jid}/new`];
const retOf = (jid: string, id: string) => `salt/job/${jid}/ret/${id}`;
const by = (sender: string, tags: readonly string[]) => tags.map((tag) => `${sender} ${tag}`);

let world: AWorld;
beforeEach(async () => {
  world = new AWorld();
  await world.dead.begin();
});
afterEach(() => world.stop());

it('says what the journal does not have of its last jobs and their returns, and nothing that it has', async () => {
  const [first, second] = [await world.job(1000), await world.job(10)];
  for (const jid of [first, second]) for (const id of ['web1', 'web2']) await world.dead.storeReturn(aReturn(jid, id));
  const itself = [...startOf(first), retOf(first, 'web1')];
  await world.said(itself);
  const { tell } = await world.gateway('a');
  const missing = [retOf(first, 'web2'), ...startOf(second), retOf(second, 'web1'), retOf(second, 'web2')];
  expect(await tell()).toBe(missing.length);
  expect([...(await world.told())].sort()).toEqual([...by('gw-dead', itself), ...by('left', missing)].sort());
});

it('says nothing, and reads the journal once, where nothing is missing', async () => {
  const jid = await world.job(10);
  await world.dead.storeReturn(aReturn(jid, 'web1'));
  await world.said([...startOf(jid), retOf(jid, 'web1')]);
  const { tell } = await world.gateway('a');
  const { reads } = world.journal;
  expect([await tell(), world.journal.reads - reads]).toEqual([0, 1]);
  expect(world.journal.messages).toHaveLength(1);
});

it.each([0, 1])('of two that have found the same one is heard, with %i last words of its gateway', async (words) => {
  const jid = await world.job(10);
  const itself = Array.from({ length: words }, () => 'salt/run/of-another/new');
  if (words > 0) await world.said(itself);
  await world.dead.storeReturn(aReturn(jid, 'web1'));
  const [a, b] = [await world.gateway('a'), await world.gateway('b')];
  expect((await Promise.all([a.tell(), b.tell()])).sort()).toEqual([0, 3]);
  const said = [...startOf(jid), retOf(jid, 'web1')];
  expect(await world.told()).toEqual([...by('gw-dead', itself), ...by('left', said)]);
});

it('what another says between its reading of the journal and its own word is not said again', async () => {
  const jid = await world.job(10);
  const b = await world.gateway('b');
  const reads: unknown[] = [];
  const a = await world.gateway('a', async () => reads.push(await b.tell()));
  expect([await a.tell(), reads]).toEqual([0, [2]]);
  expect(await world.told()).toEqual(by('left', startOf(jid)));
});

it('of two that have found different things all is heard', async () => {
  const [first, second] = [await world.job(20), await world.job(10)];
  const [a, b] = [await world.gateway('a'), await world.gateway('b')];
  expect(await Promise.all([a.tell(first), b.tell(second)])).toEqual([2, 2]);
  expect([...(await world.told())].sort()).toEqual(by('left', [...startOf(first), ...startOf(second)]).sort());
});

describe('an id is one event’s for ever, also when the journal has forgotten that one: databases and webhooks know events by it', () => {
  /** The ids of what is said for a gateway that died so long before, in a journal that has nothing earlier. */
  const idsSaid = async (beforeMs: number, saidItself: boolean) => {
    const one = new AWorld(NOW - beforeMs);
    await one.dead.begin();
    await one.job(beforeMs);
    if (saidItself) await one.said(['salt/run/of-another/new'], DIED - beforeMs);
    const { tell } = await one.gateway('a');
    expect(await tell()).toBe(2);
    const ids = (await one.heard()).map(({ id }) => id).filter((id) => id.startsWith('left.'));
    await one.stop();
    return ids;
  };

  it.each([
    ['its last word is kept', true],
    ['nothing is kept of what it said itself', false],
  ])('where %s', async (_, saidItself) => {
    const [earlier, later] = [await idsSaid(TWO_DAYS_MS, saidItself), await idsSaid(0, saidItself)];
    expect(new Set([...earlier, ...later]).size).toBe(4);
  });
});

it('a long job’s last return is missing as any other; what was long before its last word was said', async () => {
  const long = await world.job(3_600_000);
  await world.dead.storeReturn(aReturn(long, 'web1', DIED - 60_000));
  await world.dead.storeReturn(aReturn(long, 'web2'));
  await world.said(['salt/run/of-another/new']);
  const { tell } = await world.gateway('a');
  expect(await tell()).toBe(1);
  expect(await world.told()).toContain(`left ${retOf(long, 'web2')}`);
});

it('a return that this gateway has stored, or another a moment ago, is that one’s to tell; one that nobody has told of is not, once it is old', async () => {
  const jid = await world.job(10);
  await world.said(startOf(jid));
  const { tell, cache } = await world.gateway('a');
  await cache.storeReturn(aReturn(jid, 'own', NOW - 3000));
  for (const [age, name] of [
    [500, 'new'],
    [3000, 'old'],
  ] as const) {
    await world.cacheOf('b').storeReturn(aReturn(jid, name, NOW - age));
    await world.cacheOf('b').storeLate(aReturn(jid, `late ${name}`, NOW - age), name);
  }
  expect(await tell()).toBe(2);
  expect((await world.told()).slice(2).sort()).toEqual(by('left', [retOf(jid, 'late old'), retOf(jid, 'old')]));
});

it('of two that died one after the other, what the first had not said of a job that the second had gone on with is said', async () => {
  const [said, unsaid] = [await world.job(10), await world.job(5)];
  for (const jid of [said, unsaid]) await world.dead.storeReturn(aReturn(jid, 'web1'));
  await world.said([...startOf(said), retOf(said, 'web1'), ...startOf(unsaid)]);
  const second = world.cacheOf('second');
  await second.begin();
  for (const { place } of await second.leftBy('dead')) {
    const job = await second.find(place);
    if (job !== undefined) await second.move(job, place);
  }
  await world.said(['salt/run/of-another/new'], DIED + 20_000, 'gw-second');
  const { tell } = await world.gateway('a');
  expect([await tell(undefined, 'dead'), await tell(undefined, 'second')]).toEqual([0, 1]);
  expect((await world.told()).filter((one) => one.startsWith('left '))).toEqual([`left ${retOf(unsaid, 'web1')}`]);
});

it('of ten thousand returns those are said that are missing, in several batches', async () => {
  const jid = await world.job(10);
  const ids = Array.from({ length: 10_000 }, (_, n) => `web${String(n)}`);
  await Promise.all(ids.map((id) => world.dead.storeReturn(aReturn(jid, id))));
  await world.said([...startOf(jid), ...ids.slice(0, 8000).map((id) => retOf(jid, id))]);
  const { tell } = await world.gateway('a');
  expect(await tell()).toBe(2000);
  const left = (await world.told()).filter((one) => one.startsWith('left '));
  expect([new Set(left).size, left.length, world.journal.messages.length]).toEqual([2000, 2000, 1 + 4]);
});

it('what the broker takes in no message is left out alone, and its log has it', async () => {
  const jid = await world.job(10);
  await world.said(startOf(jid));
  await world.dead.storeReturn(aReturn(jid, 'web1'));
  const large = aReturn(jid, 'web2');
  await world.dead.storeReturn({ ...large, outcome: { ...large.outcome, ret: 'x'.repeat(5000) } });
  world.journal.most = 3000;
  const { tell } = await world.gateway('a');
  expect(await tell()).toBe(1);
  expect(await world.told()).toContain(`left ${retOf(jid, 'web1')}`);
  expect(world.problems).toEqual([expect.stringContaining(retOf(jid, 'web2'))]);
});

it('what makes no event, however it is trimmed, is given up, and its log has it', async () => {
  const jid = await world.job(10);
  const { tell } = await world.gateway('a', undefined, 100);
  expect(await tell()).toBe(1);
  expect(await world.told()).toEqual([`left ${jid}`]);
  expect(world.problems).toEqual([expect.stringContaining(`salt/job/${jid}/new`)]);
});
