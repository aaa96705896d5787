/** Rules of what a database that refuses may say: what it says goes into the log, and no event's data does. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { EventRefused, TookTooLong } from './destination.js';
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

/** AuthenticationOk and ReadyForQuery. */
const LET_IN = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I');

const [QUERY, TERMINATE] = Buffer.from('QX');
/** CommandComplete and ReadyForQuery. */
const DONE = Buffer.from('C\0\0\0\x05\0Z\0\0\0\x05I');
/** Before them ParseComplete, BindComplete and NoData. */
const DONE_WITH_VALUES = Buffer.concat([Buffer.from('1\0\0\0\x042\0\0\0\x04n\0\0\0\x04'), DONE]);

function refusalFor(code: string, message: string): Promise<unknown> {
  return refusalOf((socket) => socket.end(errorResponse(code, message)));
}

async function refusalOf(answer: (socket: Socket) => void): Promise<unknown> {
  const destination = await destinationAt((socket) => {
    socket.once('data', () => {
      answer(socket);
    });
  });
  return destination.deliver([]).catch((cause: unknown) => cause);
}

async function destinationAt(serve: (socket: Socket) => void): Promise<PostgresDestination> {
  server = createServer({ allowHalfOpen: true }, serve);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return new PostgresDestination({
    url: `postgresql://u@127.0.0.1:${port}/d`,
    secretFile: '',
    masterId: '',
    statementMs: 100,
  });
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

it('a server that takes no leave is left all the same', async () => {
  const sockets: Socket[] = [];
  const destination = await destinationAt((socket) => {
    sockets.push(socket);
    socket.once('data', () => {
      socket.write(LET_IN);
      socket.on('data', (said) => {
        if (said[0] !== TERMINATE) socket.write(said[0] === QUERY ? DONE : DONE_WITH_VALUES);
      });
    });
  });
  await destination.deliver([]);
  await destination.close();
  sockets.forEach((socket) => socket.destroy());
}, 20_000);

it('a server that does not even keep its own time limit has taken too long, too', async () => {
  const refused = await refusalOf((socket) => socket.write(LET_IN));
  expect(refused).toBeInstanceOf(TookTooLong);
}, 20_000);
