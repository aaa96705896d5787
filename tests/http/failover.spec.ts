/** Two gateways behind a small proxy: the one that serves a listener is killed, and the listener misses nothing. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { tokenIn, useHttp } from './world.js';

const world = useHttp();
const FIRED = 30;
let proxy: Server;
let url = '';

beforeAll(async () => {
  proxy = createServer((client) => {
    pass(client, world.port, () => {
      pass(client, world.port + 1, () => client.destroy());
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  url = `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : '')}`;
});
afterAll(() => {
  proxy.close();
});

it('a listener whose gateway is killed comes back with Last-Event-ID, and hears each event once and in order', async () => {
  const token = tokenIn(await world.login('alice', {}, 1));
  const heard: number[] = [];
  const listening = listen(token, heard);
  await listening.open;
  for (let n = 0; n < FIRED; n += 1) {
    if (n === FIRED / 3) {
      await listening.until(1);
      process.kill(world.gateway(0), 'SIGKILL');
    }
    const body = JSON.stringify({ n });
    const { status } = await world.ask('/hook/count', {
      token,
      body,
      headers: { 'Content-Type': 'application/json' },
      at: 1,
    });
    expect(status).toBe(200);
  }
  await listening.until(FIRED);
  listening.close();
  expect(heard).toEqual(Array.from({ length: FIRED }, (_, n) => n));
  expect(listening.connections()).toBeGreaterThan(1);
  // The session of the killed gateway goes on at the other.
  const answer = await fetch(`${url}/`, {
    method: 'POST',
    headers: { 'X-Auth-Token': token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ client: 'local', tgt: '*', fun: 'test.ping' }),
  });
  expect(await answer.json()).toEqual({ return: [{ a: true, b: true, c: true }] });
}, 240_000);

function pass(client: Socket, port: number, otherwise: () => void): void {
  const server = connect(port, '127.0.0.1');
  let isOpen = false;
  server.once('connect', () => {
    isOpen = true;
    client.pipe(server).pipe(client);
  });
  server.once('error', () => {
    if (isOpen) client.destroy();
    else otherwise();
  });
  server.once('close', () => {
    if (isOpen) client.destroy();
  });
  client.once('error', () => server.destroy());
}

/** What a browser's EventSource does: it comes back with the last id that it heard, until it is closed. */
function listen(token: string, heard: number[]) {
  let last: string | undefined;
  let connections = 0;
  let wake: () => void = () => undefined;
  let isOpen: () => void = () => undefined;
  const open = new Promise<void>((resolve) => (isOpen = resolve));
  const abort = new AbortController();
  const read = async () => {
    const known = {
      Accept: 'text/event-stream',
      'Cache-Control': 'no-cache',
      ...(last === undefined ? {} : { 'Last-Event-ID': last }),
    };
    const headers = { ...known, 'X-Auth-Token': token };
    const answer = await fetch(`${url}/events`, { headers, signal: abort.signal });
    connections += 1;
    isOpen();
    let text = '';
    for await (const chunk of answer.body ?? []) {
      const blocks = (text + Buffer.from(chunk as Uint8Array).toString()).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(block);
    }
  };
  const take = (block: string) => {
    last = /^id: (.+)$/m.exec(block)?.[1] ?? last;
    const n = block.includes('hook/count') ? /"n": (\d+)/.exec(block)?.[1] : undefined;
    if (n === undefined) return;
    heard.push(Number(n));
    wake();
  };
  const goOn = async () => {
    while (!abort.signal.aborted) await read().catch(() => pause(50));
  };
  void goOn();
  const until = async (count: number) => {
    while (heard.length < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  const close = () => {
    abort.abort();
  };
  return { open, until, close, connections: () => connections };
}
