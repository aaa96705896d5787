/** Rules for a client of the JSON socket that has said all and still reads, as a pipe into `socat` or `nc -N` does. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { until } from '@natrium/testing';
import { LocalBus } from '../buses/local-bus.js';
import type { Outlet } from '../buses/outlet.js';
import { serveJsonSocket } from './json-socket.js';
import type { UnixServer } from './unix-server.js';

const ORIGIN = { kind: 'local', name: 'test' } as const;
const PROBE_MS = 5000;
const REAL = ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const; // prettier-ignore

let folder: string;
let bus: LocalBus;
let server: UnixServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-half-'));
  bus = new LocalBus('test', () => 0);
  const place = { path: join(folder, 'event.sock') };
  server = await serveJsonSocket({ feed: bus, place, origin: ORIGIN, instance: 'i', maxBytes: 1 << 20 });
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
  server.close();
  bus.close();
  rmSync(folder, { recursive: true });
});

function saying(lines: string): Socket {
  const socket = connect({ path: join(folder, 'event.sock'), allowHalfOpen: true });
  socket.end(lines);
  return socket;
}

async function allOf(socket: Socket): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: socket })) lines.push(line);
  return lines;
}

/** Long enough for the server to have seen what came before. */
async function turns(): Promise<void> {
  for (let n = 0; n < 100; n += 1) await turn();
}

it('hears the answer to what it fired, and then the end', async () => {
  const fire = jest.spyOn(bus, 'fire').mockImplementation(turns);
  expect(await allOf(saying('{"fire": "a", "id": 1}\n{"fire": "b", "id": 2}\n'))).toEqual([
    '{"fired":true,"id":1}',
    '{"fired":true,"id":2}',
  ]);
  expect(fire).toHaveBeenCalledTimes(2);
});

it('hears all that there is when it asked for that, and then the end', async () => {
  for (let n = 0; n < 50; n += 1) await bus.fire('t', { text: 'x'.repeat(100_000) }, ORIGIN);
  const heard = await allOf(saying('{"subscribe": [], "from": "start", "until": "now"}\n'));
  expect(heard).toHaveLength(51);
});

it('hears its answers after the end of what it subscribed to, too', async () => {
  jest.spyOn(bus, 'fire').mockImplementation(turns);
  const heard = await allOf(saying('{"fire": "a", "id": 1}\n{"subscribe": [], "from": "start", "until": "now"}\n'));
  expect(heard).toEqual([expect.stringContaining('subscribed'), '{"fired":true,"id":1}']);
});

it('that has asked for nothing hears the end at once', async () => {
  expect(await allOf(saying('\n'))).toEqual([]);
});

describe('one that listens for ever', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: [...REAL] });
  });

  async function listening(): Promise<{ socket: Socket; lines: AsyncIterator<string>; outlet: Outlet }> {
    const subscribe = jest.spyOn(bus, 'subscribe');
    const socket = saying('{"subscribe": "t"}\n');
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toContain('subscribed');
    await turns();
    const outlet = subscribe.mock.results[0]?.value as Outlet;
    return { socket, lines, outlet };
  }

  it('hears what comes as long as it is there', async () => {
    const { socket, lines, outlet } = await listening();
    for (let n = 0; n < 3; n += 1) {
      jest.advanceTimersByTime(PROBE_MS);
      await turns();
    }
    await bus.fire('t', { n: 1 }, ORIGIN);
    expect((await lines.next()).value).toContain('"data":{"n":1}');
    expect(outlet.closed).toBe(false);
    socket.destroy();
    await once(socket, 'close');
  });

  it('is noticed when it has left, though nothing comes for it', async () => {
    const { socket, outlet } = await listening();
    expect(outlet.closed).toBe(false);
    socket.destroy();
    await turns();
    jest.advanceTimersByTime(PROBE_MS);
    await until('it is noticed', () => outlet.closed);
    expect(jest.getTimerCount()).toBe(0);
  });
});
