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

it('ends after one event with a count of 0, as Salt’s', async () => {
  const io = new ScriptedIo();
  expect(await runNatriumRun(['state.event', 'count=0', `sock_dir=${dir}`], io, new ScriptedMaster().connect)).toBe(0);
  expect(io.stdout).toBe(`${SHOWN}None\n`);
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

it.each([
  [['cuont=1'], 'cuont is no argument of it'],
  [['*', '1', 'False', 'DIR', 'False', 'master', 'more'], 'it takes six arguments at most'],
  [['2026'], 'tagmatch is a text'],
  [['[a, b]'], 'tagmatch is a text'],
  [['count=all'], 'count is a number'],
  [['sock_dir=7'], 'sock_dir is a folder'],
  [['node=both'], "node is 'master' or 'minion'"],
])('listens to nothing where an argument says what it cannot mean: %j', async (words, sentence) => {
  let connections = 0;
  bus.on('connection', () => (connections += 1));
  const io = new ScriptedIo();
  const given = ['sock_dir=DIR', ...words].map((word) => word.replace('DIR', dir));
  expect(await runNatriumRun(['state.event', ...given], io, new ScriptedMaster().connect)).toBe(2);
  expect({ out: io.stdout, err: io.stderr, connections }).toEqual({
    out: '',
    err: `natrium-run: error: state.event: ${sentence}\n`,
    connections: 0,
  });
});

it('says what the bus refuses, which is no bus that is away', async () => {
  bus.removeAllListeners('connection');
  bus.on('connection', (socket) => socket.once('data', () => socket.end('{"error": "may not read that"}\n')));
  const io = new ScriptedIo();
  expect(await runNatriumRun(['state.event', `sock_dir=${dir}`], io, new ScriptedMaster().connect)).toBe(1);
  expect(io.stderr).toBe('natrium-run: error: may not read that\n');
  const nowhere = ['state.event', `sock_dir=${dir}/none`];
  expect(await runNatriumRun(nowhere, new ScriptedIo(), new ScriptedMaster().connect)).toBe(69);
});

it('asks nobody who this is, so that it takes no login: it listens as this account', async () => {
  const io = new ScriptedIo();
  const words = [
    '-a',
    'pam',
    '--username',
    'fred',
    '--password',
    'canary',
    'state.event',
    'count=1',
    `sock_dir=${dir}`,
  ];
  expect(await runNatriumRun(words, io, new ScriptedMaster().connect)).toBe(2);
  expect(io.stderr).toMatch(/natrium-run: error: state.event listens on this host as this account: without -a\n$/);
  expect({ out: io.stdout, hidden: io.hidden, asked: io.asked }).toEqual({ out: '', hidden: 1, asked: [] });
});
