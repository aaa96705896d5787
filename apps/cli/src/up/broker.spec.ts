/** Rules of the wait for the broker: it ends when the broker does, whoever else answers or keeps silent at its port. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brokerAnswers } from './broker.js';
import { prepareFolders } from './folders.js';

const INFO = 'INFO {"server_name":"other"}\r\n';
const ENDED = 'nats-server ended at once (exit status 1)';
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

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of open) server.close();
});

it('goes on when the broker greets', async () => {
  const port = await portOf((socket) => socket.write(INFO));
  await expect(brokerAnswers(port, new Promise(() => undefined))).resolves.toBeUndefined();
});

it.each<[string, (socket: Socket) => void]>([
  ['keeps silent', () => undefined],
  ['closes', (socket) => socket.destroy()],
])('gives up when the broker has ended and another %s at its port', async (_, answer) => {
  const ended = pause(100).then(() => 'exit status 1');
  await expect(brokerAnswers(await portOf(answer), ended)).rejects.toThrow(ENDED);
});

it('does not go on with another broker that greets as its own ends', async () => {
  let end: (how: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => (end = resolve));
  const port = await portOf((socket) => {
    end('exit status 1');
    socket.write(INFO);
  });
  await expect(brokerAnswers(port, ended)).rejects.toThrow(ENDED);
});

it('refuses a wanted port that is taken before anything starts', async () => {
  const state = mkdtempSync(join(tmpdir(), 'nt-up-'));
  const natsPort = await portOf((socket) => socket.write(INFO));
  const wanted = { state, natsPort, minions: [], replicas: {} };
  await expect(prepareFolders(wanted)).rejects.toThrow(`port ${String(natsPort)} is taken`);
  rmSync(state, { recursive: true });
});
