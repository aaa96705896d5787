/** Rules of the socket for `natrium-call`: who leaves ends what runs for them, and nothing else. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { UnderWay } from '@natrium/process';
import { until } from '@natrium/testing';
import { listenForCalls } from './call-socket.js';
import { Execution } from '../execution/execution.js';

const data = {
  currentGrains: () => ({}),
  currentPillar: () => ({}),
  grains: async () => true,
  pillar: async () => true,
};

let folder: string;
let server: Server;
let underWay: UnderWay;
let unheard: Execution['call'];
let calls: { readonly signal: AbortSignal | undefined; readonly outcome: Promise<{ readonly ret: unknown }> }[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-call-'));
  calls = [];
  const execution = new Execution({ id: 'web1', data, config: {}, master: undefined });
  unheard = execution.call.bind(execution);
  execution.call = (fun, args, jid, signal) => {
    const outcome = unheard(fun, args, jid, signal);
    calls.push({ signal, outcome });
    return outcome;
  };
  underWay = new UnderWay();
  server = await listenForCalls(join(folder, 'minion.sock'), execution, underWay);
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function aCaller() {
  const socket = connect(join(folder, 'minion.sock'));
  await once(socket, 'connect');
  return { socket, ask: (fun: string, ...args: unknown[]) => socket.write(`${JSON.stringify({ fun, args })}\n`) };
}
const begun = (count: number) => until('the function runs', () => calls.length === count);

it('only its owner may open it, and folders are made as before', () => {
  expect(statSync(join(folder, 'minion.sock')).mode & 0o777).toBe(0o600);
  mkdirSync(join(folder, 'made'));
  expect(statSync(join(folder, 'made')).mode & 0o777).toBe(0o755);
});

it('a caller that leaves before its answer ends its function, with what that has started', async () => {
  const { socket, ask } = await aCaller();
  ask('test.sleep', 60);
  const sleep = `sleep 61.${String(process.pid)}`; // of this very process: the machine may run these tests twice at once
  ask('cmd.run', sleep);
  await begun(2);
  socket.destroy();
  const rets = await Promise.all(calls.map(async ({ outcome }) => (await outcome).ret));
  expect(rets).toEqual(["'test.sleep' was ended: its caller has left", "'cmd.run' was ended: its caller has left"]);
  await until('none is alive', async () => (await unheard('ps.pgrep', [sleep, '', true], '1')).ret === null);
});

it('a call is under way until it is answered, or its caller has left', async () => {
  const [one, other] = [await aCaller(), await aCaller()];
  one.ask('test.sleep', 60);
  other.ask('test.sleep', 0.05);
  await begun(2);
  expect(underWay.size).toBe(2);
  await once(other.socket, 'data');
  expect(underWay.size).toBe(1);
  other.socket.destroy();
  one.socket.destroy();
  await underWay.settled();
});

it('a caller that says that it asks no more, as scripts do, gets each answer, and then the end', async () => {
  const socket = connect({ path: join(folder, 'minion.sock'), allowHalfOpen: true });
  const said = createInterface({ input: socket });
  const rets: unknown[] = [];
  said.on('line', (line) => rets.push((JSON.parse(line) as { readonly ret: unknown }).ret));
  socket.end(
    '{"fun": "test.sleep", "args": [0.1]}\n{"fun": "test.echo", "args": [1]}\n{"fun": "test.echo", "args": [2]}\n{"fun"',
  );
  await once(said, 'close');
  expect(rets).toEqual([1, 2, true]);
});

it('one that leaves after it said so ends its function as well', async () => {
  const socket = connect({ path: join(folder, 'minion.sock'), allowHalfOpen: true });
  socket.end('{"fun": "test.sleep", "args": [60]}\n');
  await begun(1);
  await once(socket, 'data'); // a blank before the answer: it knows by now
  expect(calls[0]?.signal?.aborted).toBe(false);
  socket.destroy();
  expect((await calls[0]?.outcome)?.ret).toBe("'test.sleep' was ended: its caller has left");
});

it('what runs for another caller goes on', async () => {
  const [one, other] = [await aCaller(), await aCaller()];
  one.ask('test.sleep', 60);
  await begun(1);
  other.ask('test.sleep', 60);
  await begun(2);
  one.socket.destroy();
  await until('the first one is ended', () => calls[0]?.signal?.aborted);
  expect(calls[1]?.signal?.aborted).toBe(false);
  other.socket.destroy();
});

it('a text with a line separator of Unicode is a part of its line', async () => {
  const { socket, ask } = await aCaller();
  ask('test.echo', 'a\u2028b');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(JSON.parse(String(answer))).toMatchObject({ ret: 'a\u2028b', retcode: 0 });
  socket.destroy();
});

it('a line that is too long ends the connection, and runs nothing', async () => {
  const { socket } = await aCaller();
  const left = new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve));
  socket.write(`{"fun": "test.ping", "args": ["${'x'.repeat(9 << 20)}`);
  await left;
  expect(calls).toEqual([]);
});

it('a caller that leaves with its answer ends nothing', async () => {
  const { socket, ask } = await aCaller();
  const answers = createInterface({ input: socket });
  ask('test.ping');
  const [answer] = (await once(answers, 'line')) as [string];
  expect(JSON.parse(answer)).toMatchObject({ ret: true, retcode: 0 });
  socket.destroy();
  await new Promise((resolve) => void server.close(resolve)); // when the last connection has ended
  expect(calls[0]?.signal?.aborted).toBe(false);
});
