/** A broker that refuses for a while whom it had let in, as one does that has no time to read who somebody is. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { NatsTransport } from './nats-transport.js';

const INFO = { server_id: 'x', version: '2.10.27', max_payload: 1 << 20, headers: true, proto: 1 };
const REFUSALS = 3;

/** Speaks as much of the protocol as a connection needs, and sends one message to whoever subscribes. */
class Door {
  refusals = 0;
  #hasRefused: () => void = () => undefined;
  #guest: Socket | undefined;
  readonly #server: Server = createServer((socket) => {
    this.#guest = socket;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      this.#answer(socket, data.toString());
    });
    socket.write(`INFO ${JSON.stringify(INFO)}\r\n`);
  });

  async open(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `nats://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** @returns When it has refused once. */
  putOut(refusals: number): Promise<void> {
    this.refusals = refusals;
    this.#guest?.destroy();
    return new Promise((resolve) => (this.#hasRefused = resolve));
  }

  close(): void {
    this.#server.close();
  }

  #answer(socket: Socket, said: string): void {
    if (said.includes('CONNECT') && this.refusals > 0) {
      this.refusals -= 1;
      socket.end("-ERR 'Authentication Timeout'\r\n");
      this.#hasRefused();
      return;
    }
    if (said.includes('PING')) socket.write('PONG\r\n');
    const subscribed = /SUB news (\d+)/.exec(said)?.[1];
    if (subscribed !== undefined) socket.write(`MSG news ${subscribed} 2\r\nhi\r\n`);
  }
}

let door: Door;
let url: string;
beforeEach(async () => {
  door = new Door();
  url = await door.open();
});
afterEach(() => {
  door.close();
});

const connect = (outlivesRefusals: boolean) =>
  NatsTransport.connect({ servers: [url], name: 'test', waitOnFirstConnect: true, outlivesRefusals });

it('a service hears again when it is let in again', async () => {
  const transport = await connect(true);
  let heard = 0;
  const again = new Promise<void>((resolve) => {
    transport.subscribe('news', () => {
      heard += 1;
      if (heard === 1) void door.putOut(REFUSALS);
      else resolve();
    });
  });
  expect(await Promise.race([again, transport.lost])).toBeUndefined();
  expect(door.refusals).toBe(0);
  expect(transport.isClosed).toBe(false);
  await transport.connection.close();
});

it('any other connection ends, and whoever waits for that is told', async () => {
  const transport = await connect(false);
  void door.putOut(REFUSALS);
  expect(await transport.lost).toMatch(/Authentication Timeout/i);
  expect(transport.isClosed).toBe(true);
});

it('a connection that the broker ends while it is drained is over, and nobody waits for it', async () => {
  const transport = await connect(false);
  transport.subscribe('other', () => undefined);
  await transport.flush();
  await door.putOut(REFUSALS);
  await transport.drain();
  expect(transport.connection.isClosed()).toBe(true);
});

it.each([true, false])('who was never let in is told so, a service (%s) or not', async (outlivesRefusals) => {
  door.refusals = Infinity;
  await expect(connect(outlivesRefusals)).rejects.toThrow(/Authentication Timeout/i);
});
