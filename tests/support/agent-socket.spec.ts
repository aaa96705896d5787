import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentSocket } from './agent-socket.js';

let folder: string;
let agent: Server;
let connected: Promise<Socket>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-agent-socket-'));
  agent = createServer({ pauseOnConnect: true });
  connected = new Promise((resolve) => agent.once('connection', resolve));
  await new Promise<void>((resolve) => agent.listen(join(folder, 's'), resolve));
});
afterEach(() => {
  agent.close();
  rmSync(folder, { recursive: true, force: true });
});

it('a call that an agent had not read when it went away fails, and nothing else does', async () => {
  const socket = await AgentSocket.open(join(folder, 's'));
  const call = socket.call('test.ping');
  const side = await connected;
  // What lies unread on a Unix socket that is closed is, to its other end, a connection that was reset.
  side.destroy();
  await expect(call).rejects.toThrow('the agent closed its socket');
});

it('one that was asleep as it was called and answers later is waited for', async () => {
  const socket = await AgentSocket.open(join(folder, 's'));
  const call = socket.call('test.ping');
  (await connected).end('{"ret":true,"retcode":0,"success":true,"notes":[]}\n');
  await expect(call).resolves.toMatchObject({ ret: true });
  socket.close();
});
