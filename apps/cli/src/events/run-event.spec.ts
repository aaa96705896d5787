/** What `natriumctl event` says of its command line. What is heard over the bus: tests/events/bus.spec.ts. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNatriumctl } from '../natriumctl/run-ctl.js';
import type { CtlPorts } from '../ports.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { runEvent } from './run-event.js';

let dir: string;
let bus: Server;
/** What the bus was asked, line by line. */
let asked: string[];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'natrium-event-'));
  asked = [];
  bus = createServer((socket) => {
    socket.on('data', (line) => {
      asked.push(line.toString());
      socket.end('{"subscribed": true, "cursor": "here"}\n');
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
  [['tail', '--state', 'DIR/none/place'], /: error: option --state: ENOENT: /],
  [['tail', '--state', 'DIR'], /: error: option --state: EISDIR: /],
])('%j is a usage error, and nothing is asked', async (words, sentence) => {
  const { exit, err } = await event(...words.map((word) => word.replace('DIR', dir)));
  expect({ exit, err, asked }).toEqual({ exit: 2, err: expect.stringMatching(sentence) as string, asked: [] });
});

it('begins anew where the file of the place is empty', async () => {
  const place = join(dir, 'place');
  writeFileSync(place, '');
  expect(await event('replay', '--state', place)).toMatchObject({ exit: 0, err: '' });
  expect(asked.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ from: 'start', until: 'now' }]);
  expect(existsSync(`${place}.new`)).toBe(false);
});

async function event(...words: readonly string[]) {
  const io = new ScriptedIo();
  const ports = { event: runEvent } satisfies Partial<CtlPorts> as unknown as CtlPorts;
  const exit = await runNatriumctl(['event', ...words, '--socket', join(dir, 'bus')], io, ports);
  return { exit, out: io.stdout, err: io.stderr };
}
