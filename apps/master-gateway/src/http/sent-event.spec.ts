/** An event that is written past the response comes to every kind of client as the response itself would have written it. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Float } from '@natrium/model';
import { type EventForm, sendEvent, textOf } from './sent-event.js';

const EVENT = { cursor: '1.0', tag: 'salt/ä', data: { text: 'ü\n€' }, stamp: '2026-01-01T00:00:00.000000' };
const LINES = 'tag: salt/ä\ndata: {"tag": "salt/ä", "data": {"text": "ü\\n€"}}\n';
const FORMS: readonly (readonly [EventForm, string])[] = [['plain', `${LINES}\n`], ['with id', `${LINES}id: 1.0\n\n`]]; // prettier-ignore
let server: Server;
const answers: ServerResponse[] = [];
const waiting: (() => void)[] = [];
/** What is done with an answer in the very turn of its head. */
const atOnce: ((res: ServerResponse) => void)[] = [];

beforeAll(async () => {
  server = createServer((_, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream;charset=utf-8' });
    res.write('retry: 400\n');
    answers.push(res);
    atOnce.shift()?.(res);
    waiting.shift()?.();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  answers.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const port = () => (server.address() as AddressInfo).port;
const asked = (count: number) => Promise.all(Array.from({ length: count }, () => new Promise<void>((resolve) => waiting.push(resolve)))); // prettier-ignore

/** All that comes until the end of the connection. */
async function raw(request: string, requests: number, send: () => void): Promise<string> {
  const came = asked(requests);
  const socket = connect(port(), '127.0.0.1', () => socket.write(request));
  const text = new Promise<string>((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', () => {
      resolve(Buffer.concat(chunks).toString());
    });
  });
  await came;
  send();
  return text;
}

/** Of an answer in HTTP/1.1, as they were framed. */
function chunksIn(answer: string): readonly string[] {
  let rest = Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4));
  const chunks: string[] = [];
  while (rest.length > 0) {
    const begin = rest.indexOf('\r\n') + 2;
    const end = begin + Number.parseInt(rest.toString('latin1', 0, begin), 16);
    chunks.push(rest.toString('utf8', begin, end));
    rest = rest.subarray(end + 2);
  }
  return chunks;
}

function sendAndEnd(form: EventForm): void {
  for (const res of answers) {
    sendEvent(res, EVENT, form);
    res.write('retry: 400\n');
    sendEvent(res, EVENT, form);
  }
  for (const res of answers) res.end();
}

it.each(FORMS)('%s: in chunks that a client of HTTP/1.1 puts together again, among those of the response', async (form, text) => {
  const came = asked(1);
  const answer = fetch(`http://127.0.0.1:${String(port())}/`);
  await came;
  sendAndEnd(form);
  expect(await (await answer).text()).toBe(`retry: 400\n${text}retry: 400\n${text}`);
}); // prettier-ignore

it('its tag and its data come in a chunk each, as from Salt: the gem salt-api reads one line of each chunk', async () => {
  const all = await raw('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 1, () => {
    sendAndEnd('plain');
  });
  const [tag, data] = ['tag: salt/ä\n', `${LINES.slice(LINES.indexOf('data'))}\n`];
  expect(chunksIn(all)).toEqual(['retry: 400\n', tag, data, 'retry: 400\n', tag, data, '']);
});

it.each(FORMS)('%s: behind the head and what else the response holds back in that turn', async (form, text) => {
  atOnce.push((res) => {
    sendEvent(res, EVENT, form);
    res.end();
  });
  const answer = await fetch(`http://127.0.0.1:${String(port())}/`);
  expect(await answer.text()).toBe(`retry: 400\n${text}`);
});

it.each(FORMS)('%s: as it is, for a client of HTTP/1.0', async (form, text) => {
  const all = await raw('GET / HTTP/1.0\r\n\r\n', 1, () => {
    sendAndEnd(form);
  });
  expect(all.slice(all.indexOf('\r\n\r\n') + 4)).toBe(`retry: 400\n${text}retry: 400\n${text}`);
});

it('never into an earlier answer on the same connection', async () => {
  const twice = 'GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const text = await raw(twice, 2, () => {
    const [first, second] = answers;
    if (first === undefined || second === undefined) throw new Error('two requests came');
    sendEvent(second, EVENT, 'with id');
    first.end('first');
    second.end();
  });
  expect(text.indexOf('first')).toBeGreaterThan(0);
  expect(text.indexOf('id: 1.0')).toBeGreaterThan(text.lastIndexOf('HTTP/1.1 200 OK'));
});

it('nothing at all to a HEAD', async () => {
  const text = await raw('HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 1, () => {
    sendAndEnd('with id');
  });
  expect(text.endsWith('\r\n\r\n')).toBe(true);
  expect(text).not.toContain('id: 1.0');
});

it('an event whose data hold what JSON has no word for is JSON all the same, which a page in a browser can read', () => {
  const data = { load: [new Float(NaN), new Float(Infinity), new Float(-Infinity)], text: 'NaN' };
  expect(JSON.parse(textOf({ ...EVENT, data }))).toEqual({
    tag: EVENT.tag,
    data: { load: [null, null, null], text: 'NaN' },
  });
});

it('an event with U+2028 or U+2029 in it is one line, also to who reads lines as Python’s splitlines', () => {
  const data = { 'a\u2028b': 'c\u2029d\u0085e\u000bf' };
  const text = textOf({ ...EVENT, data });
  expect(text).not.toMatch(/[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/);
  expect(JSON.parse(text)).toEqual({ tag: EVENT.tag, data });
});
