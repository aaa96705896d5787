/** Rules of the client: what it hears whole, and that it leaves no connection behind. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventProblem } from './bus.js';
import { EventClient } from './client.js';

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

/** A bus that says this to whoever asks; `left` resolves when the one who asked has left. */
async function aBus(said: string): Promise<{ readonly left: Promise<void> }> {
  let hasLeft: () => void = () => undefined;
  const left = new Promise<void>((resolve) => {
    hasLeft = resolve;
  });
  server = createServer((socket) => {
    socket.once('data', () => socket.write(said)).on('error', () => undefined);
    socket.once('close', hasLeft);
  });
  await once(server.listen(client.path), 'listening');
  return { left };
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
