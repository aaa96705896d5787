/** What no message carries is refused on its minion: the spool sends in order, so it would hold up all that is fired later. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, sodiumReady, type Wire } from '@natrium/envelope';
import { type BusEvent, EventClient, type JsonMap } from '@natrium/events';
import type { Value, ValueMap } from '@natrium/model';
import { contracts, toWire } from '@natrium/wire';
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
  const log = pino({ level: 'silent' });
  events = new MinionEvents({
    id: 'web1',
    sockDir: folder,
    instance: 'i',
    spool,
    maxBytes: 1 << 20,
    log,
    now: () => 0,
  });
  await events.open();
  client = new EventClient(join(folder, 'minion_event.sock'));
});
afterEach(async () => {
  await client.close();
  events.close();
  spool.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Tags of what waits for the master; as one message it has an encoding. */
function waiting(): readonly string[] {
  const batch = spool.batch();
  if (batch === undefined) return [];
  const { first, dropped, events: fired } = batch;
  expect(encode(toWire(contracts.events, { first, dropped, events: [...fired] }) as Wire).length).toBeGreaterThan(0);
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
  ['more digits than bytes', Array.from({ length: 5000 }, () => 10n ** 300n), {}, 'at most 1048576 bytes'],
])('event.send with %s is refused, and the next one is kept', async (_, data, load, why) => {
  await expect(events.fireMaster(data, 'bad', load)).rejects.toThrow(why);
  await events.fireMaster({ n: 1 }, 'good');
  expect(waiting()).toEqual(['good']);
});

it('one refusal is heard once: a list with two bad elements leaves no failed promise behind', async () => {
  const data = { events: [{ tag: 'salt/key', data: {} }, { data: {} }] };
  await expect(client.fire('fire_master', data)).rejects.toThrow('has a tag');
  await client.fire('fire_master', { tag: 'good', data: {} });
  expect(waiting()).toEqual(['good']);
});
