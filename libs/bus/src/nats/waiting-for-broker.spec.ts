/** What a process says that waits for its broker: why it is not there, once. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { NatsTransport } from './nats-transport.js';
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

describe('one that was there and is lost', () => {
  let told: string[];
  let tells: EventTarget;
  let transport: NatsTransport;
  let guests: Set<Socket>;
  beforeEach(async () => {
    opens();
    told = [];
    tells = new EventTarget();
    guests = new Set();
    door.on('connection', (socket) => guests.add(socket));
    const tell = (why: string) => {
      told.push(why);
      tells.dispatchEvent(new Event('told'));
    };
    transport = await waitingForBroker(
      { servers, name: 'test', outlivesRefusals: true },
      { where: 'here', tell, lostMs: 1 },
    );
  });
  afterEach(() => transport.drain());

  function goesAway(says: string): void {
    greeting = says;
    for (const socket of guests) socket.destroy();
  }

  it.each([
    ['for want of TLS', greetingOf({ ...INFO, tls_required: true }), /^the connection to the broker is lost: no TLS with the broker at here: .+; see broker_ca; trying on$/],
    ['as it lets this user in no more', `${greetingOf(INFO)}-ERR 'Authorization Violation'\r\n`, /^the connection to the broker is lost: the broker at here does not let this user in: .+; trying on$/],
  ])('%s: is told of once with the reason, and that it is back, each time', async (_, says, sentence) => {
    for (let time = 1; time <= 2; time += 1) {
      const isTold = once(tells, 'told');
      goesAway(says);
      await isTold;
      const isBack = once(tells, 'told');
      opens();
      await isBack;
    }
    const reason: unknown = expect.stringMatching(sentence);
    const back = 'the broker at here is there again';
    expect(told).toEqual([reason, back, reason, back]);
  }); // prettier-ignore

  it('and is back before that is told of nothing', async () => {
    const isBack = new Promise<void>((back) => {
      transport.whenBack(back);
    });
    goesAway(greetingOf(INFO));
    await isBack;
    expect(told).toEqual([]);
  });

  it('and given up then is not told of as there again', async () => {
    const isTold = once(tells, 'told');
    goesAway('SSH-2.0\r\n');
    await isTold;
    await transport.drain();
    expect(told).toEqual(['the connection to the broker is lost: no broker answers at here; trying on']);
  });
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
