/** Rules of the wait for the broker: it ends when the broker does, whoever else answers or keeps silent at its port. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedIo } from '../testing/scripted-io.js';
import { brokerAnswers } from './broker.js';
import { prepareFolders } from './folders.js';

const INFO = 'INFO {"server_name":"other"}\r\n';
const ENDED = 'nats-server ended at once (exit status 1)';
const LIVES = new Promise<never>(() => undefined);
const WAIT_MS = 60_000;
const open = new Set<Server>();
const sockets = new Set<Socket>();

async function portOf(answer: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    answer(socket);
  });
  open.add(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Time passes by itself. */
function real() {
  return { now: () => performance.now(), wait: (ms: number) => pause(ms), err: () => undefined };
}

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of open) server.close();
});

it('goes on when the broker greets', async () => {
  const port = await portOf((socket) => socket.write(INFO));
  const io = new ScriptedIo();
  await brokerAnswers(port, { ended: LIVES, waitMs: WAIT_MS }, io);
  expect(io.stderr).toBe('');
});

it.each<[string, (socket: Socket) => void]>([
  ['keeps silent', () => undefined],
  ['closes', (socket) => socket.destroy()],
])('gives up when the broker has ended and another %s at its port', async (_, answer) => {
  const ended = pause(100).then(() => 'exit status 1');
  await expect(brokerAnswers(await portOf(answer), { ended, waitMs: WAIT_MS }, real())).rejects.toThrow(ENDED);
});

it('does not go on with another broker that greets as its own ends', async () => {
  let end: (how: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => (end = resolve));
  const port = await portOf((socket) => {
    end('exit status 1');
    socket.write(INFO);
  });
  await expect(brokerAnswers(port, { ended, waitMs: WAIT_MS }, real())).rejects.toThrow(ENDED);
});

it('waits for a broker that lives and has much to read, and says once what it waits for', async () => {
  let tries = 0;
  const port = await portOf((socket) => ((tries += 1) > 300 ? socket.write(INFO) : socket.destroy()));
  const io = new ScriptedIo();
  await brokerAnswers(port, { ended: LIVES, waitMs: WAIT_MS }, io);
  expect(io.stderr).toBe(
    `natriumctl: nats-server runs and does not answer on port ${String(port)} yet: it may have much to read from its store; waiting for up to 60 s\n`,
  );
});

it('and gives one up that lives and never answers, or that ends meanwhile', async () => {
  const port = await portOf((socket) => socket.destroy());
  const waiting = brokerAnswers(port, { ended: LIVES, waitMs: 10_000 }, new ScriptedIo());
  await expect(waiting).rejects.toThrow(`nats-server runs, but has not answered on port ${String(port)} in 10 s`);
  let end: (how: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => (end = resolve));
  const io = Object.assign(new ScriptedIo(), {
    err: () => {
      end('SIGKILL');
    },
  });
  await expect(brokerAnswers(port, { ended, waitMs: WAIT_MS }, io)).rejects.toThrow(
    `nats-server ended (SIGKILL) before it answered on port ${String(port)}`,
  );
});

it.each([
  ['natsPort', '--nats-port'],
  ['httpPort', '--http-port'],
])('refuses a wanted %s that is taken before anything starts, and says what to do', async (option, word) => {
  const state = mkdtempSync(join(tmpdir(), 'nt-up-'));
  const port = await portOf((socket) => socket.write(INFO));
  const wanted = { state, [option]: port, minions: [], replicas: {} };
  await expect(prepareFolders(wanted)).rejects.toThrow(
    `port ${String(port)} is taken: name another with ${word}, or end what listens there`,
  );
  expect(readdirSync(state)).toEqual([]);
  rmSync(state, { recursive: true });
});
