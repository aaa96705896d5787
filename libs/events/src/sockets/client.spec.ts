/** Rules of the client: what it hears whole, and that it leaves no connection behind. */
import { getEventListeners, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Float } from '@natrium/model';
import { until } from '@natrium/testing';
import { EventProblem } from '../buses/bus.js';
import { BusGone, EventClient } from './client.js';

let folder: string;
let server: Server;
let client: EventClient;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-client-'));
  client = new EventClient(join(folder, 'event.sock'));
});
afterEach(async () => {
  await client.close();
  server.close();
  rmSync(folder, { recursive: true });
});

/** A bus that says this to whoever asks; `said` is what it is asked, `left` resolves when the one who asked has left. */
async function aBus(answer: string): Promise<{ readonly said: Promise<string>; readonly left: Promise<void> }> {
  let hasLeft: () => void = () => undefined;
  const left = new Promise<void>((resolve) => {
    hasLeft = resolve;
  });
  let isAsked: (line: string) => void = () => undefined;
  const said = new Promise<string>((resolve) => {
    isAsked = resolve;
  });
  server = createServer((socket) => {
    socket.once('data', (line: Buffer) => {
      isAsked(line.toString());
      socket.write(answer);
    }).on('error', () => undefined); // prettier-ignore
    socket.once('close', hasLeft);
  });
  await once(server.listen(client.path), 'listening');
  return { said, left };
}

it('a text with a line separator of Unicode is heard whole', async () => {
  await aBus('{"subscribed": true, "cursor": "1"}\n{"tag": "t\u2028", "data": {"x": "\u2029"}}\n');
  const heard: unknown[] = [];
  for await (const event of await client.subscribe()) {
    heard.push(event);
    break;
  }
  expect(heard).toEqual([{ tag: 't\u2028', data: { x: '\u2029' } }]);
});

it('so is the answer to what was fired', async () => {
  await aBus('{"error": "no \u2028", "id": 1}\n');
  await expect(client.fire('t')).rejects.toThrow('no \u2028');
});

it('an answer without an id refuses the longest line, which the bus did not read; the others may have been fired', async () => {
  await aBus('{"error": "a line is longer than 100 characters"}\n');
  const [short, long] = [client.fire('t'), client.fire('t', { text: 'x'.repeat(200) })];
  await expect(long).rejects.toThrow(new EventProblem('a line is longer than 100 characters'));
  const lost = expect(short).rejects.toThrow(BusGone);
  await client.close();
  await lost;
});

const NUMBERS = '{"n":12345678901234567890,"f":1.0,"half":0.5}';

it('numbers are fired as they are', async () => {
  const { said } = await aBus('{"fired": true, "id": 1}\n');
  await client.fire('t', { n: 12345678901234567890n, f: new Float(1), half: 0.5 });
  expect(await said).toBe(`{"fire":"t","data":${NUMBERS},"id":1}\n`);
});

it('they are heard as a script has them, or as they were fired where that is asked for', async () => {
  await aBus(`{"subscribed": true, "cursor": "1"}\n{"tag": "t", "data": ${NUMBERS}}\n`);
  const heard: unknown[] = [];
  for await (const { data } of await client.subscribe({ until: 'now' })) if (heard.push(data) > 0) break;
  for await (const { data } of await client.subscribe({ exact: true })) if (heard.push(data) > 0) break;
  expect(heard).toEqual([
    { n: 12345678901234567000, f: 1, half: 0.5 },
    { n: 12345678901234567890n, f: new Float(1), half: 0.5 },
  ]);
});

it.each([
  ['has the place where it began', '"cursor": "1.0", ', '1.0'],
  ['has none where the bus tells none', '', undefined],
])('a subscription %s', async (_, told, cursor) => {
  await aBus(`{"subscribed": true, ${told}"instance": "i"}\n`);
  const listening = await client.subscribe();
  expect(listening.cursor).toBe(cursor);
  listening.close();
});

it('a subscription that is refused leaves no connection behind', async () => {
  const { left } = await aBus('{"error": "no such pattern"}\n');
  await expect(client.subscribe()).rejects.toThrow(EventProblem);
  await left;
});

it('a subscription whose signal was aborted before is at its end', async () => {
  const { left } = await aBus('{"subscribed": true, "cursor": "1"}\n{"tag": "t", "data": {}}\n');
  const tags: string[] = [];
  for await (const { tag } of await client.subscribe({ signal: AbortSignal.abort() })) tags.push(tag);
  expect(tags).toEqual([]);
  await left;
});

it('so is one whose signal is aborted while it hears', async () => {
  const { left } = await aBus('{"subscribed": true, "cursor": "1"}\n{"tag": "t", "data": {}}\n');
  const ending = new AbortController();
  const tags: string[] = [];
  for await (const { tag } of await client.subscribe({ signal: ending.signal })) {
    tags.push(tag);
    ending.abort();
  }
  expect(tags).toEqual(['t']);
  await left;
});

it('one that has ended leaves nothing at its signal', async () => {
  await aBus('{"subscribed": true, "cursor": "1"}\n');
  const { signal } = new AbortController();
  const subscription = await client.subscribe({ signal });
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  subscription.close();
  for await (const event of subscription) expect(event).toBeUndefined();
  await until('nothing listens', () => getEventListeners(signal, 'abort').length === 0);
});
