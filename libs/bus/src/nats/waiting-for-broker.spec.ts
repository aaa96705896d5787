/** What a process says that waits for its broker: why it is not there, once. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { waitingForBroker } from './waiting-for-broker.js';
import { whyNoBroker } from './why-no-broker.js';

const INFO = { server_id: 'x', version: '2.10.27', max_payload: 1 << 20, headers: true, proto: 1 };

let greeting: string;
/** Greets so, and lets in whoever then speaks in clear. */
let door: Server;
let servers: readonly string[];
/** Told of each that has come. */
let comes: () => void;
beforeEach(async () => {
  comes = () => undefined;
  door = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      socket.write(data.includes('PING') ? 'PONG\r\n' : 'this is no TLS\r\n');
    });
    socket.write(greeting);
    comes();
  });
  await once(door.listen(0, '127.0.0.1'), 'listening');
  servers = [`nats://127.0.0.1:${String((door.address() as AddressInfo).port)}`];
});
afterEach(() => {
  door.close();
});

const greetingOf = (info: object) => `INFO ${JSON.stringify(info)}\r\n`;
const opens = () => {
  greeting = greetingOf(INFO);
};

it.each([
  ['what is no broker', 'SSH-2.0\r\n', /^no broker answers at here; trying on$/],
  ['TLS that fails', greetingOf({ ...INFO, tls_required: true }), /^no TLS with the broker at here: .+; see broker_ca; trying on$/],
])('%s is told of once, and waited for', async (_, says, sentence) => {
  greeting = says;
  const told: string[] = [];
  const triedOn = new Promise<void>((enough) => {
    let tries = 0;
    comes = () => {
      if (told.length > 0) tries += 1;
      if (tries === 3) enough();
    };
  });
  const waiting = waitingForBroker({ servers, name: 'test' }, { where: 'here', tell: (why) => told.push(why), silentMs: 1 });
  await triedOn;
  expect(told).toEqual([expect.stringMatching(sentence)]);
  opens();
  await (await waiting).connection.close();
  expect(told).toHaveLength(1);
}); // prettier-ignore

it('one that is there at once is told nothing of', async () => {
  opens();
  const told: string[] = [];
  const waiting = waitingForBroker({ servers, name: 'test' }, { where: 'here', tell: (why) => told.push(why) });
  await (await waiting).connection.close();
  expect(told).toEqual([]);
});

const withCode = (message: string, code: string, more = {}) => Object.assign(new Error(message), { code, ...more });

it.each([
  [withCode('getaddrinfo ENOTFOUND nosuch.invalid', 'ENOTFOUND', { hostname: 'nosuch.invalid' }), 'no broker at here: the name nosuch.invalid is not known (ENOTFOUND); see nats', 'look it up'],
  [withCode('getaddrinfo EAI_AGAIN broker', 'EAI_AGAIN', { hostname: 'broker' }), 'no broker at here: the name broker is not known (EAI_AGAIN); see nats', 'look it up'],
  [withCode('self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN'), 'no TLS with the broker at here: self-signed certificate in certificate chain; see broker_ca', 'the CA'],
  [withCode('connect ECONNREFUSED 127.0.0.1:4222', 'ECONNREFUSED'), 'no broker answers at here', undefined],
  [new Error('timeout'), 'no broker answers at here', undefined],
  [undefined, 'no broker answers at here', undefined],
])('%s: the cause, and what to do', (error, sentence, mend) => {
  const why = whyNoBroker(error, 'here');
  expect(why.sentence).toBe(sentence);
  expect(why.mend?.includes(mend ?? '-') ?? mend).toBe(mend === undefined ? undefined : true);
}); // prettier-ignore
