/** Rules of Salt's own sockets: what a script writes is what the others of its host read, and a refusal is nobody else's. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { LocalBus } from '../buses/local-bus.js';
import type { UnixServer } from '../sockets/unix-server.js';
import { frameOf } from './frame.js';
import { writeMsgpack } from './msgpack.js';
import { serveSaltSockets } from './salt-sockets.js';

let folder: string;
let server: UnixServer;
let reader: Socket;
let writer: Socket;
let heard: Buffer;
let problems: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-salt-'));
  [heard, problems] = [Buffer.alloc(0), []];
  server = await serve('bus');
  reader = connect(join(folder, 'bus_pub.ipc')).on('data', (bytes: Buffer) => (heard = Buffer.concat([heard, bytes])));
  writer = connect(join(folder, 'bus_pull.ipc'));
  // Nothing tells when the reader is taken in, so it is fired until it is heard.
  await until('the reader hears', () => {
    writer.write(frameOf('here', {}));
    return heard.includes('here');
  });
});
afterEach(() => {
  reader.destroy();
  writer.destroy();
  server.close();
  rmSync(folder, { recursive: true });
});

function serve(name: string): Promise<UnixServer> {
  const feed = new LocalBus('b', () => 0);
  const origin = { kind: 'local', name: 'minion' } as const;
  const onProblem = (problem: string) => problems.push(problem);
  return serveSaltSockets({ feed, origin, base: join(folder, name), maxBytes: 1000, onProblem });
}

it.each(['pub', 'pull'])('where one of the two cannot be made none is: %s', async (which) => {
  mkdirSync(join(folder, `half_${which}.ipc`, 'in-the-way'), { recursive: true });
  await expect(serve('half')).rejects.toThrow();
  expect(readdirSync(folder).sort()).toEqual(['bus_pub.ipc', 'bus_pull.ipc', `half_${which}.ipc`]);
});

it('bytes, times and keys that are no texts are read as they were written', async () => {
  const stamp = Buffer.concat([writeMsgpack('_stamp'), writeMsgpack('2026-01-02T03:04:05.000006')]);
  const port = Buffer.concat([Buffer.from([80]), writeMsgpack('http')]);
  const raw = Buffer.concat([writeMsgpack('raw'), Buffer.from([0xc4, 2, 0xff, 0xfe])]);
  const time = Buffer.concat([writeMsgpack('when'), Buffer.from([0xd6, 78]), Buffer.from('2026')]);
  const body = Buffer.concat([Buffer.from('t\n\n'), Buffer.from([0x84]), stamp, port, raw, time]);
  const length = Buffer.from([0xc4, body.length]);
  writer.write(Buffer.concat([Buffer.from([0x82]), writeMsgpack('head'), Buffer.from([0x80]), writeMsgpack('body'), length, body])); // prettier-ignore
  await until('it is read', () => heard.includes(body));
});

it('what is refused is told, and its connection fires on', async () => {
  writer.write(Buffer.concat([frameOf('large', { text: 'x'.repeat(5000) }), frameOf('next', {})]));
  await until('the next one is heard', () => heard.includes('next\n\n'));
  expect(heard.includes('large')).toBe(false);
  expect(problems).toEqual([expect.stringMatching(/not fired: it is larger than 1000 bytes \(max_event_size\)/)]);
});

it('what is no frame ends its connection with its first byte, and is told once', async () => {
  const ended = new Promise((resolve) => writer.on('close', resolve));
  writer.on('error', () => undefined).write(Buffer.alloc(4 << 20));
  await ended;
  expect(problems).toEqual(['what came on the event socket is no event']);
});

it('many that are refused at once are told in one line for each piece in which they came', async () => {
  const frame = Buffer.concat([Buffer.from([0x81]), writeMsgpack('body'), Buffer.from([0xc4, 0])]);
  writer.write(Buffer.concat([...Array.from({ length: 1000 }, () => frame), frameOf('next', {})]));
  await until('the next one is heard', () => heard.includes('next\n\n'));
  const told = problems.map((problem) => 1 + Number(/nor were (\d+)/.exec(problem)?.[1] ?? 0));
  expect(told.reduce((sum, count) => sum + count, 0)).toBe(1000);
  expect(told.length).toBeLessThan(10);
});
