/** What `natriumctl event` says of its command line. What is heard over the bus: tests/events/bus.spec.ts. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { runNatriumctl } from '../natriumctl/run-ctl.js';
import type { CtlPorts } from '../natriumctl/ctl-ports.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { runEvent } from './run-event.js';

let dir: string;
let bus: Server;
/** What the bus was asked, line by line. */
let asked: string[];
/** What each connection is told before it ends. */
let told: string[];

const GREETING = '{"subscribed": true, "cursor": "here", "bookmarks": true}\n';
const OLD_GREETING = '{"subscribed": true, "cursor": "here"}\n';
const ENDED = '{"ended": true, "cursor": "end"}\n';
const heard = (cursor: string, data = '{}') =>
  `{"tag": "a/b", "data": ${data}, "stamp": "now", "cursor": "${cursor}"}\n`;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'natrium-event-'));
  [asked, told] = [[], []];
  bus = createServer((socket) => {
    socket.on('data', (line) => {
      asked.push(line.toString());
      socket.end(told.shift() ?? GREETING);
    });
  });
  await new Promise<void>((listening) => bus.listen(join(dir, 'bus'), listening));
});
afterEach(async () => {
  await new Promise((closed) => bus.close(closed));
  rmSync(dir, { recursive: true });
});

it.each([
  [['fire', 'a', '{'], /: error: fire: the data is no JSON: /],
  [['tail', '--match', 'like'], /: error: --match is one of startswith, /],
  [['tail', '--state', 'DIR/none/place'], /: error: option --state: there is no folder \S+\/none\n$/],
  [['tail', '--state', 'DIR'], /: error: option --state: \S+ is a folder: name a file in it\n$/],
  [
    ['tail', '--from', 'yesterday'],
    /: error: option --from: yesterday is none of: start, now, a cursor, a time such as 2026-11-20T08:00:00Z\n$/,
  ],
  [['replay', '--from', '2026-13-45'], /: error: option --from: 2026-13-45 is none of: /],
])('%j is a usage error, and nothing is asked', async (words, sentence) => {
  const { exit, err } = await event(...words.map((word) => word.replace('DIR', dir)));
  expect({ exit, err, asked }).toEqual({ exit: 2, err: expect.stringMatching(sentence) as string, asked: [] });
});

it('begins anew where the file of the place is empty', async () => {
  const place = join(dir, 'place');
  writeFileSync(place, '');
  told = [GREETING + ENDED];
  expect(await event('replay', '--state', place)).toMatchObject({ exit: 0, err: '' });
  expect(asked.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ from: 'start', until: 'now' }]);
  expect(existsSync(`${place}.new`)).toBe(false);
});

it('a time to begin from that names no zone is UTC wherever the host is, and else what its zone says', async () => {
  const { parse } = Date;
  const west = jest.spyOn(Date, 'parse').mockImplementation((text) => parse(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}-05:00`)); // prettier-ignore
  for (const time of ['2026-11-18T11:06:40.000000', '2026-11-18T11:06:40Z', '2026-11-18T12:06:40+01:00']) {
    await event('replay', '--from', time);
    expect(JSON.parse(asked.at(-1) ?? '')).toMatchObject({ from: { time: 1_795_000_000 } });
  }
  await event('replay', '--from', '17.99999');
  expect(JSON.parse(asked.at(-1) ?? '')).toMatchObject({ from: { cursor: '17.99999' } });
  west.mockRestore();
});

it('fires numbers as they are written, and prints them as they were fired', async () => {
  const data = '{"n":12345678901234567890,"f":1.0,"e":1e3,"i":1}';
  told = ['{"fired": true, "id": 1}\n', GREETING + heard('c1', data) + ENDED, GREETING + heard('c1', data) + ENDED];
  expect(await event('fire', 'num/x', data)).toMatchObject({ exit: 0 });
  expect(asked[0]).toContain('"data":{"n":12345678901234567890,"f":1.0,"e":1000.0,"i":1}');
  expect((await event('replay')).out).toBe(
    'a/b\t{"n": 12345678901234567890, "f": 1.0, "e": 1000.0, "i": 1, "_stamp": "now"}\n',
  );
  expect((await event('replay', '--pretty')).out).toContain('\n    "e": 1000.0,\n    "f": 1.0,\n');
});

it('ends with 1 and the reason in words where its place cannot be kept any more', async () => {
  const place = join(dir, 'place');
  mkdirSync(`${place}.new`);
  expect(await event('tail', '--state', place)).toEqual({
    exit: 1,
    out: '',
    err: `natriumctl event: error: the place of --state cannot be kept: ${place}.new is a folder: name a file in it\n`,
  });
});

it('keeps the place where it began, before anything comes that it wants, and does not go back to it', async () => {
  const place = join(dir, 'place');
  expect(await event('tail', 'rare/', '--state', place)).toMatchObject({ exit: 69 });
  expect(readFileSync(place, 'utf8')).toBe('here\n');
  writeFileSync(place, 'before\n');
  await event('tail', 'rare/', '--state', place);
  expect(readFileSync(place, 'utf8')).toBe('before\n');
});

describe('when the gateway that serves the bus ends', () => {
  it('goes on at the next one, behind the last event, or where it began', async () => {
    told = [GREETING, GREETING + heard('c1') + heard('c2')];
    const { exit, out, err } = await event('tail', '-n', '2');
    expect({ exit, lines: out.split('\n').length }).toEqual({ exit: 0, lines: 3 });
    expect(err).toBe('natriumctl event: the event bus is gone; looked for again\n');
    expect(asked.map((line) => (JSON.parse(line) as { from: unknown }).from)).toEqual(['now', { cursor: 'here' }]);
  });

  it('hears nothing twice', async () => {
    told = [GREETING + heard('c1'), GREETING + heard('c2')];
    expect(await event('tail', '-n', '2')).toMatchObject({ exit: 0 });
    expect(JSON.parse(asked[1] ?? '')).toMatchObject({ from: { cursor: 'c1' } });
  });

  it('says so, and ends when there is none for ten seconds', async () => {
    const { exit, err } = await event('tail');
    expect({ exit, err }).toEqual({
      exit: 69,
      err: 'natriumctl event: the event bus is gone; looked for again\nnatriumctl event: error: the event bus is gone\n',
    });
    expect(asked.length).toBeGreaterThan(10);
  });

  it('hears nothing twice, and no gap, of what passed by its filter', async () => {
    told = [`${GREETING}${heard('c1')}{"bookmark": true, "cursor": "c5"}\n`, GREETING + heard('c6')];
    expect(await event('tail', '-n', '2')).toMatchObject({ exit: 0 });
    expect(asked.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { bookmarks: true },
      { bookmarks: true, from: { cursor: 'c5' } },
    ]);
  });

  it('there was none to begin with, nothing is waited for', async () => {
    const io = new ScriptedIo();
    const ports = { event: runEvent } satisfies Partial<CtlPorts> as unknown as CtlPorts;
    expect(await runNatriumctl(['event', 'tail', '--socket', join(dir, 'none')], io, ports)).toBe(69);
    expect(io.stderr).toMatch(
      /no event bus answers at .*; is its master-gateway or agent running on this host, and may/,
    );
    expect(io.waits).toEqual([]);
  });
});

describe('a replay', () => {
  const GONE =
    'natriumctl event: error: the event bus went away before the replay was over, and the rest of it is missing: ';

  it('is over when the bus says so, and keeps the place of its end', async () => {
    const place = join(dir, 'place');
    told = [GREETING + heard('c1') + ENDED];
    expect(await event('replay', '--state', place)).toMatchObject({ exit: 0, err: '' });
    expect(JSON.parse(asked[0] ?? '')).toMatchObject({ until: 'now', bookmarks: true });
    expect(readFileSync(place, 'utf8')).toBe('end\n');
  });

  it('of a bus of an earlier version, which says no end, is over with the connection', async () => {
    told = [OLD_GREETING + heard('c1')];
    expect(await event('replay')).toMatchObject({ exit: 0, err: '' });
  });

  it('has as many as were asked for before its end', async () => {
    told = [GREETING + heard('c1') + heard('c2')];
    expect(await event('replay', '-n', '2')).toMatchObject({ exit: 0, err: '' });
  });

  it.each([
    ['nothing came', '', [], 'begin again'],
    ['events came', heard('c1') + heard('c2'), [], 'go on with --from c2'],
    [
      'events came and the place is kept',
      heard('c1') + heard('c2'),
      ['--state', 'DIR/place'],
      'the same command goes on with it',
    ],
  ])(
    'whose bus goes away before its end fails, shows what came and says how to hear the rest: %s',
    async (_, came, flags, how) => {
      told = [GREETING + came];
      const { exit, out, err } = await event('replay', ...flags.map((flag) => flag.replace('DIR', dir)));
      expect({ exit, err, lines: out.split('\n').length }).toEqual({
        exit: 69,
        err: `${GONE}${how}\n`,
        lines: came.split('\n').length,
      });
      if (flags.length > 0) expect(readFileSync(join(dir, 'place'), 'utf8')).toBe('c2\n');
      expect(asked).toHaveLength(1);
    },
  );
});

it('a tail keeps the place to which the bus has come, though nothing came that it wants', async () => {
  const place = join(dir, 'place');
  told = [`${GREETING}{"bookmark": true, "cursor": "far"}\n`];
  expect(await event('tail', 'rare/', '--state', place)).toMatchObject({ exit: 69, out: '' });
  expect(readFileSync(place, 'utf8')).toBe('far\n');
});

async function event(...words: readonly string[]) {
  const io = new ScriptedIo();
  const ports = { event: runEvent } satisfies Partial<CtlPorts> as unknown as CtlPorts;
  const exit = await runNatriumctl(['event', ...words, '--socket', join(dir, 'bus')], io, ports);
  return { exit, out: io.stdout, err: io.stderr };
}
