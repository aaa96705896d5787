/** Rules of the JSON socket's lines, as a program of any language writes and reads them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Float } from '@natrium/model';
import { serveJsonSocket } from './json-socket.js';
import { LocalBus } from './local-bus.js';
import type { UnixServer } from './unix-server.js';

const folder = mkdtempSync(join(tmpdir(), 'nt-json-'));
const path = join(folder, 'event.sock');
const bus = new LocalBus('test', () => 1_795_000_000_000);

let server: UnixServer;
let socket: Socket;
let lines: AsyncIterator<string>;

beforeAll(async () => {
  const origin = { kind: 'local', name: 'test' } as const;
  server = await serveJsonSocket({ feed: bus, place: { path }, origin, instance: 'i', maxBytes: 100_000 });
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
  ['a whole number of more than 400 digits', `{"fire": "n", "data": {"n": ${'9'.repeat(401)}}}`, 'a line is no JSON'],
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
