/** What `natrium-run state.event` prints beside its events, which tests/events/bus.spec.ts hears over a real bus. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNatriumRun } from '../natrium-run/run-run.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { ScriptedMaster } from '../testing/scripted-master.js';

const HEARD = '{"subscribed": true, "cursor": "here"}\n{"tag": "a/b", "data": {"x": 1}, "stamp": "now"}\n';
const SHOWN = 'a/b\t{"x": 1, "_stamp": "now"}\n';

let dir: string;
let bus: Server;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'nt-state-event-'));
  bus = createServer((socket) => socket.on('data', () => socket.write(HEARD)));
  await new Promise<void>((listening) => bus.listen(join(dir, 'master_event.sock'), listening));
});
afterEach(async () => {
  await new Promise((closed) => bus.close(closed));
  rmSync(dir, { recursive: true });
});

it.each([
  [[], 'None\n'],
  [['--out', 'json'], 'null\n'],
  [['--quiet'], ''],
])('with %j its events are followed by %j', async (flags, result) => {
  const io = new ScriptedIo();
  const words = ['state.event', 'count=1', `sock_dir=${dir}`];
  expect(await runNatriumRun([...flags, ...words], io, new ScriptedMaster().connect)).toBe(0);
  expect({ out: io.stdout, err: io.stderr }).toEqual({ out: SHOWN + result, err: '' });
});

it('goes on behind the last event at the gateway that takes the bus over, and says that it was gone', async () => {
  const asked: string[] = [];
  bus.removeAllListeners('connection');
  bus.on('connection', (socket) => {
    socket.once('data', (line: Buffer) => {
      asked.push(line.toString());
      socket.end(HEARD.replace('"stamp"', `"cursor": "c${String(asked.length)}", "stamp"`));
    });
  });
  const io = new ScriptedIo();
  const words = ['state.event', 'count=2', `sock_dir=${dir}`];
  expect(await runNatriumRun(words, io, new ScriptedMaster().connect)).toBe(0);
  expect({ out: io.stdout, err: io.stderr }).toEqual({
    out: `${SHOWN}${SHOWN}None\n`,
    err: 'natrium-run: the event bus is gone; looked for again\n',
  });
  expect(asked.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { match: 'expr' },
    { from: { cursor: 'c1' } },
  ]);
});

it('shows numbers as they were fired', async () => {
  bus.removeAllListeners('connection');
  const event = '{"tag": "a/b", "data": {"n": 12345678901234567890, "f": 1.0}, "cursor": "c1", "stamp": "now"}\n';
  bus.on('connection', (socket) => socket.once('data', () => socket.write('{"subscribed": true}\n' + event)));
  const io = new ScriptedIo();
  await runNatriumRun(['state.event', 'count=1', `sock_dir=${dir}`], io, new ScriptedMaster().connect);
  expect(io.stdout).toBe('a/b\t{"n": 12345678901234567890, "f": 1.0, "_stamp": "now"}\nNone\n');
});
