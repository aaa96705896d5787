/** What no message carries is refused on its minion: the spool sends in order, so it would hold up all that is fired later. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, sodiumReady, type Wire } from '@natrium/envelope';
import { type BusEvent, EventClient, type JsonMap } from '@natrium/events';
import type { Value, ValueMap } from '@natrium/model';
import { contracts, writeAs } from '@natrium/wire';
import { pino } from 'pino';
import { EventSpool } from './event-spool.js';
import { MinionEvents } from './minion-events.js';

const HALF = '\udcff'; // what Python writes for a byte of a file's name that is not UTF-8
const PROTO = JSON.parse('{"__proto__": 1}') as JsonMap & ValueMap;
const nested = (levels: number): ValueMap =>
  Array.from({ length: levels }).reduce<ValueMap>((inner) => ({ a: inner }), {});

let folder: string;
let spool: EventSpool;
let events: MinionEvents;
let client: EventClient;

beforeAll(() => sodiumReady());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-minion-'));
  const quiet = { onProblem: () => undefined, onReady: () => undefined };
  spool = new EventSpool({ folder, maxEvents: 100, maxBytes: 64 << 20, firstNumber: 1, ...quiet });
  events = await openBus(1 << 20);
  client = new EventClient(join(folder, 'minion_event.sock'));
});
afterEach(async () => {
  await client.close();
  events.close();
  spool.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openBus(maxBytes: number, keptMs?: number): Promise<MinionEvents> {
  const log = pino({ level: 'silent' });
  const place = { id: 'web1', sockDir: folder, hashType: 'sha1', instance: 'i' };
  const bound = keptMs === undefined ? {} : { keptMs };
  const bus = new MinionEvents({ ...place, ...bound, spool, maxBytes, log, now: () => 0 });
  await bus.open();
  return bus;
}

/** Tags of what waits for the master; as one message it has an encoding. */
function waiting(): readonly string[] {
  const batch = spool.batch();
  if (batch === undefined) return [];
  const { first, dropped, events: fired } = batch;
  expect(
    encode(writeAs(contracts.events.schema, { first, dropped, events: [...fired] }) as Wire).length,
  ).toBeGreaterThan(0);
  return fired.map(({ tag }) => tag);
}

it.each<[string, string, JsonMap]>([
  ['half a character on the bus of this host', 'bad', { f: HALF }],
  ['the key that is the prototype there', 'bad', PROTO],
  ['half a character for the master', 'fire_master', { tag: 'bad', data: { f: HALF } }],
  ['one in a list for the master', 'fire_master', { events: [{ tag: 'bad', data: { f: HALF } }] }],
])('%s is refused at the socket, and what is fired after it is heard and kept', async (_, tag, data) => {
  const heard: BusEvent[] = [];
  const listening = await client.subscribe({ tags: [] });
  await expect(client.fire(tag, data)).rejects.toThrow('has no encoding');
  await client.fire('fire_master', { tag: 'good', data: { n: 1 } });
  for await (const event of listening) {
    heard.push(event);
    break;
  }
  expect(heard.map(({ data: told }) => told)).toEqual([{ tag: 'good', data: { n: 1 } }]);
  expect(waiting()).toEqual(['good']);
});

it.each<[string, Value, ValueMap, string]>([
  ['half a character', { f: HALF }, {}, 'a text is not valid Unicode at data.data.f'],
  ['half a character in the preload', {}, { f: HALF }, 'a text is not valid Unicode at data.f'],
  ['the key that is the prototype', PROTO, {}, 'a key is __proto__ at data.data'],
  ['more levels than a message has left', nested(28), {}, 'nested deeper than 26 levels'],
  ['more bytes than an event has', { text: 'x'.repeat(1 << 20) }, {}, 'at most 1048576 bytes'],
  ['more values than are read there', Array.from({ length: 100_001 }, () => ({})), {}, 'at most 100000 values'],
  ['more digits than bytes', Array.from({ length: 5000 }, () => 10n ** 300n), {}, 'at most 1048576 bytes'],
])('event.send with %s is refused, and the next one is kept', async (_, data, load, why) => {
  await expect(events.fireMaster(data, 'bad', load)).rejects.toThrow(why);
  await events.fireMaster({ n: 1 }, 'good');
  expect(waiting()).toEqual(['good']);
});

it.each<[string, JsonMap, ValueMap]>([
  ['without data', { tag: 'deploy' }, { pretag: null, data: {} }],
  ['with null for it', { tag: 'deploy', data: null, pretag: 'app' }, { pretag: 'app', data: {} }],
  ['with a list that is empty', { tag: 'deploy', data: { n: 1 }, events: [] }, { pretag: null, data: { n: 1 } }],
])('Salt’s fire_master %s is one event', async (_, payload, whole) => {
  await client.fire('fire_master', payload);
  expect(spool.batch()?.events).toMatchObject([{ tag: 'deploy', data: whole['data'] }]);
});

it('what is too large for a message to the master is refused, whatever max_event_size says; this host hears more', async () => {
  events.close();
  events = await openBus(8 << 20);
  const heard: BusEvent[] = [];
  const listening = await client.subscribe({ tags: 'big' });
  const text = 'x'.repeat(5 << 20);
  await client.fire('big', { text });
  for await (const event of listening) {
    heard.push(event);
    break;
  }
  expect(heard.map(({ data }) => data)).toEqual([{ text }]);
  await expect(client.fire('fire_master', { tag: 'bad', data: { text } })).rejects.toThrow('at most 4194304 bytes');
  expect(waiting()).toEqual([]);
});

it('its sockets have the names that Salt’s library makes of the id by hash_type', () => {
  expect(readdirSync(folder)).toContain('minion_event_977588a87e_pub.ipc');
});

it('one refusal is heard once: a list with two bad elements leaves no failed promise behind', async () => {
  const data = { events: [{ tag: 'salt/key', data: {} }, { data: {} }] };
  await expect(client.fire('fire_master', data)).rejects.toThrow('has a tag');
  await client.fire('fire_master', { tag: 'good', data: {} });
  expect(waiting()).toEqual(['good']);
});

it('of a list of which one element is refused none is kept, so that whoever fires it again has each once', async () => {
  const list = ['a', 'b', 'salt/key'].map((tag) => ({ tag, data: {} }));
  await expect(client.fire('fire_master', { events: list })).rejects.toThrow('takes no event salt/key');
  expect(waiting()).toEqual([]);
  await client.fire('fire_master', { events: list.slice(0, 2) });
  expect(waiting()).toEqual(['a', 'b']);
});

describe('while neither the disk nor the master takes anything', () => {
  beforeEach(async () => {
    events.close();
    spool.close();
    const blocked = join(folder, 'blocked');
    writeFileSync(blocked, 'no folder');
    const quiet = { onProblem: () => undefined, onReady: () => undefined };
    spool = new EventSpool({ folder: blocked, maxEvents: 2, maxBytes: 64 << 20, firstNumber: 1, ...quiet });
    events = await openBus(1 << 20, 50);
  });

  it('whoever fires at the master hears so, and the event waits to be sent', async () => {
    await expect(client.fire('fire_master', { tag: 'one', data: {} })).rejects.toThrow('neither this host');
    expect(await events.fireMaster({}, 'two')).toBe(false);
    expect(waiting()).toEqual(['one', 'two']);
    await expect(events.fireMaster({}, 'three')).rejects.toThrow('the spool of this minion is full');
  });

  it('it is kept as soon as the master has it', async () => {
    const kept = events.fireMaster({}, 'one');
    spool.forget(1);
    expect(await kept).toBe(true);
  });
});
