/** Rules of the JSON socket's lines, as a program of any language writes and reads them. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Float } from '@natrium/model';
import { LocalBus } from '../buses/local-bus.js';
import { serveJsonSocket } from './json-socket.js';
import type { UnixServer } from './unix-server.js';

const folder = mkdtempSync(join(tmpdir(), 'nt-json-'));
const path = join(folder, 'event.sock');
const bus = new LocalBus('test', () => 1_795_000_000_000);

const MAX_BYTES = 100_000;

let server: UnixServer;
let socket: Socket;
let lines: AsyncIterator<string>;

beforeAll(async () => {
  const origin = { kind: 'local', name: 'test' } as const;
  server = await serveJsonSocket({ feed: bus, place: { path }, origin, instance: 'i', maxBytes: MAX_BYTES });
});
afterAll(() => {
  server.close();
  bus.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  socket = connect(path);
  lines = createInterface({ input: socket })[Symbol.asyncIterator]();
});
afterEach(() => {
  socket.destroy();
});

async function said(line: string): Promise<string> {
  socket.write(`${line}\n`);
  return String((await lines.next()).value);
}

it('a number keeps its digits, and a float is one, as another language wrote them', async () => {
  const heard = bus.subscribe({ tags: ['n'] });
  expect(await said('{"fire": "n", "data": {"jid": 20261123005056271607, "load": 1.0, "half": 0.5, "n": 7}}')).toBe(
    '{"fired":true}',
  );
  const [event] = (await heard.take()) ?? [];
  expect(event?.data).toEqual({
    jid: 20261123005056271607n,
    load: new Float(1),
    half: 0.5,
    n: 7,
  });
  heard.close();
  await said('{"subscribe": "m"}');
  expect(await said('{"fire": "m", "ack": false, "data": {"jid": 20261123005056271607, "load": 1.0}}')).toContain(
    '"jid":20261123005056271607,"load":1.0',
  );
});

it.each([
  ['what is no JSON', '{', 'a line is no JSON'],
  [
    'a whole number of more than 400 digits',
    `{"fire": "n", "data": {"n": ${'9'.repeat(401)}}}`,
    'a whole number of more than 400 digits',
  ],
  ['a text that is half a character', '{"fire": "n", "data": {"f": "\\udcff"}}', 'not valid Unicode at data.f'],
  ['the key that is the prototype', '{"fire": "n", "data": {"__proto__": {}}}', 'a key is __proto__'],
  ['what is nested too deep', `{"fire": "n", "data": {"n": ${'['.repeat(70)}${']'.repeat(70)}}}`, 'nested deeper than'],
])('%s is refused with the reason, and nobody hears of it', async (_, line, why) => {
  const heard = bus.subscribe();
  expect(await said(line)).toContain(why);
  expect(await said('{"fire": "after"}')).toBe('{"fired":true}');
  expect((await heard.take())?.map(({ tag }) => tag)).toEqual(['after']);
  heard.close();
});

describe('the time of "from"', () => {
  it.each([
    ['1790000000000000', 'not between 1970 and'],
    ['253402300800', 'not between 1970 and'],
    ['-1', 'not between 1970 and'],
    ['1e300', 'not between 1970 and'],
    ['"-000001-01-01T00:00:00Z"', 'not between 1970 and'],
    ['"tomorrow"', 'seconds or ISO 8601'],
    ['null', 'seconds or ISO 8601'],
  ])('is not %s', async (time, why) => {
    expect(await said(`{"subscribe": [], "from": {"time": ${time}}}`)).toContain(why);
    expect(await said('{"subscribe": []}')).toContain('"subscribed":true');
  });

  it.each(['1700000000', '1700000000.0', '1700000000.5', '"2026-01-01T00:00:00Z"', '253402300799'])(
    'may be %s',
    async (time) => {
      expect(await said(`{"subscribe": [], "from": {"time": ${time}}}`)).toContain('"subscribed":true');
    },
  );
});

it('an event’s own stamp is a time to hear from, which is UTC wherever the host is', async () => {
  const stamp = '2026-11-18T11:06:40.000000';
  const parse = jest.spyOn(Date, 'parse').mockImplementation((text) => (text === `${stamp}Z` ? 1_795_000_000_000 : 0));
  const subscribe = jest.spyOn(bus, 'subscribe');
  expect(await said(`{"subscribe": [], "from": {"time": "${stamp}"}}`)).toContain('"subscribed":true');
  expect(subscribe.mock.lastCall).toEqual([{ tags: [], from: { time: 1_795_000_000_000 } }]);
  parse.mockRestore();
  subscribe.mockRestore();
});

describe('what a listener asks for beside', () => {
  it.each(['0', '-1', '100001', '1.5', '1000.0', '1e3', '"1000"', 'null', 'true'])('is no limit: %s', async (limit) => {
    expect(await said(`{"subscribe": [], "limit": ${limit}}`)).toBe(
      '{"error":"\\"limit\\" is a whole number from 1 to 100000"}',
    );
    expect(await said('{"subscribe": []}')).toContain('"subscribed":true');
  });

  it.each(['1', '100000'])('is a limit: %s', async (limit) => {
    const subscribe = jest.spyOn(bus, 'subscribe');
    expect(await said(`{"subscribe": [], "limit": ${limit}}`)).toContain('"subscribed":true');
    expect(subscribe.mock.lastCall).toEqual([{ tags: [], limit: Number(limit) }]);
    subscribe.mockRestore();
  });

  it.each(['"then"', '1795000000', 'null', '{"time": 0}'])('is no end: %s', async (until) => {
    expect(await said(`{"subscribe": [], "until": ${until}}`)).toBe(
      '{"error":"\\"until\\" is \\"now\\", or left out"}',
    );
    expect(await said('{"subscribe": [], "until": "now"}')).toContain('"subscribed":true');
  });
});

it('a line that is too long is refused, and neither it nor what follows it is fired', async () => {
  const heard = bus.subscribe();
  const open = connect({ path, allowHalfOpen: true });
  const answers = createInterface({ input: open })[Symbol.asyncIterator]();
  open.write(`{"fire": "long", "data": {"x": "${'x'.repeat(8 * MAX_BYTES)}`);
  expect((await answers.next()).value).toContain('a line is longer than');
  open.end('"}}\n{"fire": "behind"}\n');
  await once(open, 'close');
  expect(await said('{"fire": "after"}')).toBe('{"fired":true}');
  expect((await heard.take())?.map(({ tag }) => tag)).toEqual(['after']);
  heard.close();
});

it('the largest event may come as every language writes it, with six characters for a byte', async () => {
  const heard = bus.subscribe({ tags: ['large'] });
  expect(await said(`{"fire": "large", "data": {"x": "${'\\u0001'.repeat(MAX_BYTES)}"}}`)).toBe('{"fired":true}');
  expect((await heard.take())?.map(({ data }) => data)).toEqual([{ x: '\u0001'.repeat(MAX_BYTES) }]);
  heard.close();
});

describe('the cursor of the greeting', () => {
  const cursorOf = async (from: string) =>
    (JSON.parse(await said(`{"subscribe": "c", "from": ${from}}`)) as { readonly cursor?: string }).cursor;

  it('is where the bus stands, for a listener that hears what comes', async () => {
    const { cursor } = bus;
    expect(await cursorOf('"now"')).toBe(cursor);
  });

  it('is the cursor from which a listener hears', async () => {
    const { cursor } = bus;
    await bus.fire('later', {}, { kind: 'local', name: 'test' });
    expect(await cursorOf(`"${cursor}"`)).toBe(cursor);
    expect(bus.cursor).not.toBe(cursor);
  });

  it.each(['"start"', '{"time": 1700000000}'])('is not told for %s, where only the journal knows it', async (from) => {
    expect(await cursorOf(from)).toBeUndefined();
  });
});

it('of one who reads no answers no more is read until they are', async () => {
  const fire = jest.spyOn(bus, 'fire');
  const count = 200;
  const id = 'x'.repeat(MAX_BYTES / 2);
  const busy = connect(path);
  for (let n = 0; n < count; n += 1) busy.write(`{"fire": "t", "id": "${id}"}\n`);
  for (let calls = -1; calls < fire.mock.calls.length;) {
    calls = fire.mock.calls.length;
    for (let n = 0; n < 100; n += 1) await turn();
  }
  const firedUnread = fire.mock.calls.length;
  const answers = createInterface({ input: busy })[Symbol.asyncIterator]();
  for (let n = 0; n < count; n += 1) await answers.next();
  expect([firedUnread > 0, firedUnread < count / 2, fire.mock.calls.length]).toEqual([true, true, count]);
  fire.mockRestore();
  busy.destroy();
});

it('a text with a line separator of Unicode is on one line, as every language reads lines', async () => {
  await said('{"subscribe": "u"}');
  const line = await said('{"fire": "u", "ack": false, "data": {"a\u2028": "b\u2029c"}}');
  expect(line).toContain('"data":{"a\\u2028":"b\\u2029c"}');
});
