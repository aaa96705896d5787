/** Rules of the event bus, on real gateways, agents and a real broker. Salt's own frames: tests/system/salt-frames.spec.ts. */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type BusEvent, BusGone } from '@natrium/events';
import type { Value } from '@natrium/model';
import { PATIENCE_MS, until } from '@natrium/testing';
import { contracts } from '@natrium/wire';
import { hearJob } from '../../apps/cli/src/events/hear-job.js';
import { listenOn } from '../../apps/cli/src/events/listen-on.js';
import { take, World } from './world.js';

let world: World;

/** What the master told of the keys when the minions came. */
let auth: readonly BusEvent[];

beforeAll(async () => {
  world = await World.start();
  auth = await take(await world.listen(['salt/auth'], { from: 'start' }), 2);
});
afterAll(async () => {
  await world.stop();
});

const refusals = () => world.log.all.filter(({ msg }) => msg.startsWith('an event was refused'));

const saltBase = (id: string) => {
  const name = createHash('sha256').update(id).digest('hex').slice(0, 10);
  return join(world.cluster.minion(id).config.sock_dir, `minion_event_${name}`);
};

it('the master tells of each key that asks to be let in, with Salt’s payload', () => {
  const pub = expect.stringContaining('BEGIN PUBLIC KEY') as unknown;
  const said = [...auth].sort((a, b) => JSON.stringify(a.data).localeCompare(JSON.stringify(b.data)));
  expect(said.map(({ data }) => data)).toEqual([
    { act: 'accept', id: 'web1', pub, result: true },
    { act: 'accept', id: 'web2', pub, result: true },
  ]);
});

/** From a minion of the attacker's own making, or one that numbers its events as the test says. */
const sent = async (
  first: number,
  fired: readonly { readonly tag: string; readonly data: Value }[],
): Promise<boolean> => {
  const { link } = world.cluster.minion('web1');
  const stamp = link.clock.now();
  const body = { first, dropped: 0, events: fired.map((one) => ({ ...one, load: null, stamp })) };
  const answer = await link.bus.ask(
    { contract: contracts.events, body, subject: link.subjects.up(link.own.fp, 'event'), to: () => link.directory.role('gateway') },
    contracts.eventsStored,
    PATIENCE_MS,
  ); // prettier-ignore
  return answer.ok;
};

describe('from a minion to the master', () => {
  it('an event in the single form has Salt’s payload, with the id that was proved', async () => {
    const events = await world.listen(['mytag']);
    await world.minion('web1').fire('fire_master', { tag: 'mytag', data: { data: 'hello' }, id: 'web2' });
    const [event] = await take(events, 1);
    expect(event).toMatchObject({
      tag: 'mytag',
      data: { id: 'web1', cmd: '_minion_event', pretag: null, tag: 'mytag', data: { data: 'hello' } },
      origin: { kind: 'minion', name: 'web1' },
    });
  });

  it('an event is heard before it is stored, as its cursor says; the first of a minion is heard from the journal', async () => {
    const events = await world.listen(['early/']);
    const first = world.cluster.minion('web1').link.clock.now() * 1024;
    for (const n of [0, 1]) expect(await sent(first + n, [{ tag: `early/${String(n)}`, data: {} }])).toBe(true);
    const isAhead = ({ cursor, id }: BusEvent) => cursor.endsWith(`~${id.replace('.', ':')}`);
    expect((await take(events, 2)).map((event) => [event.tag, isAhead(event)])).toEqual([
      ['early/0', false],
      ['early/1', true],
    ]);
  });

  it('a list of events has its data as it is, also under the pretag, and an element without data its other keys', async () => {
    const events = await world.listen(['list/', 'pre/']);
    await world.minion('web1').fire('fire_master', {
      events: [
        { tag: 'list/1', data: { n: 1 } },
        { tag: 'list/2', n: 2 },
      ],
      pretag: 'pre',
    });
    expect((await take(events, 4)).map(({ tag, data }) => [tag, data])).toEqual([
      ['list/1', { n: 1 }],
      ['pre/list/1', { n: 1 }],
      ['list/2', { n: 2 }],
      ['pre/list/2', { n: 2 }],
    ]);
    expect(world.cluster.minion('web1').log.all.filter(({ msg }) => msg.includes('has no data'))).toHaveLength(1);
  });
});

it('a subscription that is closed ends for whoever waits for its next event', async () => {
  const events = await world.listen(['never/']);
  const next = events[Symbol.asyncIterator]().next();
  events.close();
  expect((await next).done).toBe(true);
});

describe('whoever follows a job', () => {
  const JID = '20261120112404639750';

  it('is told of its returns, of no other job, and that there is no more to hear', async () => {
    const ears = await hearJob(world.folder(''), JID);
    if (ears === undefined) throw new Error('there is a bus on this host');
    const bus = world.master();
    let told = 0;
    const next = () => ears.heard().then(() => (told += 1));
    const first = next();
    await bus.fire('salt/job/20261120112404639751/ret/web1');
    await take(await world.listen(['salt/job/'], { from: 'start', until: 'now' }), 1);
    expect(told).toBe(0);
    await bus.fire(`salt/job/${JID}/ret/web1`);
    expect(await first).toBe(1);
    ears.close();
    expect([await next(), ears.isGone]).toEqual([2, true]);
  });

  it('is told that nobody tells where there is no bus', async () => {
    expect(await hearJob(join(world.folder(''), 'none'), JID)).toBeUndefined();
  });
});

describe('what a minion may not fire', () => {
  /** From a minion of the attacker's own making: its agent would not send this. */
  const forged = async ({ tag, data }: { readonly tag: string; readonly data: Value }): Promise<boolean> => {
    const { clock } = world.cluster.minion('web1').link;
    const first = clock.now() * 1024;
    return (
      (await sent(first, [{ tag: 'before/it', data: {} }])) &&
      sent(first + 1, [
        { tag, data },
        { tag: 'beside/it', data: {} },
      ])
    );
  };

  it.each([
    'salt/job/20261120112404639750/ret/web2',
    'salt/run/20261120112404639750/new',
    'salt/wheel/20261120112404639750/ret',
    'salt/auth',
    'salt/key',
    'salt/presence/change',
    'salt/minion/web2/start',
    'salt/netapi/hook/x',
    '20261120112404639750',
    'natrium/gap',
    'minion/refresh/web2',
    'a\nb',
  ])('%s is refused, recorded, and nothing is on the bus', async (tag) => {
    const everything = await world.listen([]);
    const before = refusals().length;
    expect(await forged({ tag, data: { forged: true } })).toBe(true);
    await world.master().fire('after/it');
    expect((await take(everything, 3)).map((event) => event.tag)).toEqual(['before/it', 'beside/it', 'after/it']);
    await until('it is told', () => refusals().length > before);
  });

  it('what is nested deeper than the journal has levels is refused and settled: a minion that sends it is not asked for it again', async () => {
    const before = refusals().length;
    const data = Array.from({ length: 28 }).reduce<Value>((inner) => [inner], null);
    expect(await forged({ tag: 'deep', data })).toBe(true);
    await until('it is told', () => refusals().length > before);
    expect(refusals().at(-1)?.msg).toContain('nested deeper than 26 levels');
  });

  it('its own agent says why not, and sends nothing', async () => {
    await expect(world.minion('web1').fire('fire_master', { tag: 'salt/key', data: {} })).rejects.toThrow(
      /the master takes no event salt\/key from this minion/,
    );
  });
});

describe('history', () => {
  it('is heard again from a cursor, without what was heard before, and then goes on', async () => {
    const events = await world.listen(['h/']);
    for (let n = 1; n <= 5; n += 1) await world.master().fire(`h/${n}`);
    const five = await take(events, 5);
    const again = await world.listen(['h/'], { from: { cursor: five[2]!.cursor } });
    await world.master().fire('h/6');
    expect((await take(again, 3)).map(({ tag }) => tag)).toEqual(['h/4', 'h/5', 'h/6']);
    const ended: string[] = [];
    for await (const { tag } of await world.listen(['h/'], { from: 'start', until: 'now' })) ended.push(tag);
    expect(ended).toEqual(['h/1', 'h/2', 'h/3', 'h/4', 'h/5', 'h/6']);
  });

  it('a time in the future has nothing yet, and a cursor that is none is refused', async () => {
    const none: string[] = [];
    for await (const { tag } of await world.listen([], { from: { time: Date.now() + 3_600_000 }, until: 'now' }))
      none.push(tag);
    expect(none).toEqual([]);
    await expect(world.listen([], { from: { cursor: 'yesterday' } })).rejects.toThrow(/no cursor/);
    await expect(world.listen(['('], { match: 'regex' })).rejects.toThrow(/no regular expression/);
  });
});

describe('several gateways', () => {
  it('each listener hears each event once, in the order of its sender, also when it changes the gateway', async () => {
    const second = await world.gateway('run2');
    const [here, there] = [await world.listen(['g/']), await world.master('run2').subscribe({ tags: 'g/' })];
    const fired = Array.from({ length: 300 }, (_, n) => `g/${n}`);
    const sender = world.master();
    const kept = Promise.all(fired.map((tag) => sender.fire(tag)));
    const heardHere = await take(here, 300);
    expect(heardHere.map(({ tag }) => tag)).toEqual(fired);
    expect((await take(there, 300)).map(({ tag }) => tag)).toEqual(fired);
    // These were heard before they were stored: the cursor of the one gateway says so to the other.
    const moved = await world.master('run2').subscribe({ tags: 'g/', from: { cursor: heardHere[99]!.cursor } });
    expect((await take(moved, 200)).map(({ tag }) => tag)).toEqual(fired.slice(100));
    await kept;
    await world.stopGateway(second);
  });

  it('another one takes the sockets over when theirs ends', async () => {
    const first = await world.gateway('run3');
    const standby = await world.gateway('run3');
    await world.stopGateway(first);
    const client = world.master('run3');
    await until('the other one serves', () => client.fire('taken/over').then(() => true, () => false)); // prettier-ignore
    await world.stopGateway(standby);
  });

  it('whoever listens on hears at the next one what followed, nothing twice and nothing left out', async () => {
    const [first, standby] = [await world.gateway('run4'), await world.gateway('run4')];
    let gone = 0;
    const io = { wait: (ms: number) => pause(ms), now: () => performance.now() };
    const ports = { io, gone: () => (gone += 1) };
    const events = listenOn(world.master('run4'), { tags: 'on/', from: 'start' }, ports);
    await world.master().fire('on/1');
    expect((await events.next()).value).toMatchObject({ tag: 'on/1' });
    await world.stopGateway(first);
    await world.master().fire('on/2');
    await world.master().fire('on/3');
    for (const tag of ['on/2', 'on/3']) expect((await events.next()).value).toMatchObject({ tag });
    expect(gone).toBe(1);
    await events.return();
    await world.stopGateway(standby);
  });
});

it('whoever hears until now is told when its gateway goes away before all has come, and goes on behind what came', async () => {
  const gateway = await world.gateway('run5');
  const text = 'x'.repeat(100_000);
  const tags = Array.from({ length: 30 }, (_, n) => `cut/${String(n)}`);
  await Promise.all(tags.map((tag) => world.master().fire(tag, { text })));
  const asked = { tags: 'cut/', from: 'start', until: 'now' } as const;
  const heard: BusEvent[] = [];
  const hear = async (events: AsyncIterable<BusEvent>) => {
    for await (const event of events) if (heard.push(event) === 1) await world.stopGateway(gateway);
  };
  await expect(hear(await world.master('run5').subscribe(asked))).rejects.toThrow(BusGone);
  expect(heard.length).toBeLessThan(tags.length);
  await hear(await world.listen(['cut/'], { ...asked, from: { cursor: heard.at(-1)?.cursor ?? '' } }));
  expect(heard.map(({ tag }) => tag)).toEqual(tags);
});

it('the sockets are their owner’s alone', () => {
  const paths = ['master_event.sock', 'master_event_pub.ipc', 'master_event_pull.ipc'].map((name) =>
    join(world.folder('run'), name),
  );
  for (const path of [...paths, `${saltBase('web1')}_pull.ipc`]) expect(statSync(path).mode & 0o777).toBe(0o600);
});
