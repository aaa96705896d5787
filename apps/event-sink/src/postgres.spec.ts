/** Rules of what a database that refuses may say: what it says goes into the log, and no event's data does. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { EventRefused } from './destination.js';
import { PostgresDestination } from './postgres.js';

let server: Server;
afterEach(() => {
  server.close();
});

/** An ErrorResponse of PostgreSQL's protocol. */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SERROR\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}

async function refusalFor(code: string, message: string): Promise<unknown> {
  server = createServer((socket) => socket.once('data', () => socket.end(errorResponse(code, message))));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const destination = new PostgresDestination({
    url: `postgresql://u@127.0.0.1:${port}/d`,
    secretFile: '',
    masterId: '',
  });
  return destination.deliver([]).catch((cause: unknown) => cause);
}

it('of a value that it cannot hold only the code is told: its own message quotes the value', async () => {
  const refused = await refusalFor('22P02', 'invalid input syntax for type json: "secret"');
  expect(refused).toBeInstanceOf(EventRefused);
  expect(String(refused)).toMatch(/cannot hold a value .*\(22P02\)$/);
});

it.each([
  ['54000', 'index row size exceeds maximum', EventRefused],
  ['57P03', 'the database system is starting up', Error],
])('what it says of itself goes on: %s', async (code, message, kind) => {
  const refused = await refusalFor(code, message);
  expect((refused as Error).constructor).toBe(kind);
  expect(String(refused)).toContain(`${message} (${code})`);
});
