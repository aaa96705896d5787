/** Who asks for TLS says nothing to a broker that offers none: whoever sits in between could take it out of the offer. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { NatsTransport } from './nats-transport.js';
import { settings } from './settings.js';

const INFO = { server_id: 'x', version: '2.10.27', max_payload: 1 << 20, headers: true, proto: 1 };

let said: string;
let port: string;
let plain: Server;
beforeEach(async () => {
  said = '';
  plain = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      said += data.toString('latin1');
      if (said.includes('PING')) socket.write('PONG\r\n');
    });
    socket.write(`INFO ${JSON.stringify(INFO)}\r\n`);
  });
  await once(plain.listen(0, '127.0.0.1'), 'listening');
  port = String((plain.address() as AddressInfo).port);
});
afterEach(() => {
  plain.close();
});

const connect = (...schemes: readonly string[]) =>
  NatsTransport.connect({ servers: schemes.map((scheme) => `${scheme}://127.0.0.1:${port}`), name: 'test' });

it.each([[['tls']], [['nats', 'tls']], [['TLS', 'nats']]])(
  '%j: nothing is said after the greeting of a broker without TLS',
  async (schemes) => {
    await expect(connect(...schemes)).rejects.toThrow(/does not support 'tls'/);
    expect(said).toBe('');
  },
);

it('where no address asks for TLS, a broker without it is spoken to', async () => {
  const transport = await connect('nats');
  expect(said).toMatch(/^CONNECT /);
  await transport.connection.close();
});

it('the files that are named count, whatever the addresses ask for', () => {
  for (const servers of [['tls://one:4222'], ['nats://one:4222']])
    expect(settings({ servers, name: 'test', tls: { ca: '/ca.crt' } }).tls).toEqual({ caFile: '/ca.crt' });
});

describe('the certificate of a node', () => {
  /** @param dialled As Node hears it: `localhost` for every address. */
  function takes(servers: readonly string[], dialled: string, names: string): boolean {
    const { tls } = settings({ servers, name: 'test', tls: {} });
    const check = (tls as { checkServerIdentity?: typeof checkServerIdentity }).checkServerIdentity;
    const certificate = { subjectaltname: names, subject: { CN: 'broker' } } as unknown as PeerCertificate;
    return (check ?? checkServerIdentity)(dialled, certificate) === undefined;
  }

  it.each([
    [['tls://10.0.0.5:4222'], 'localhost', 'IP Address:10.0.0.5', true],
    [['tls://10.0.0.5:4222', 'tls://[fd00::5]:4222'], 'localhost', 'IP Address:FD00:0:0:0:0:0:0:5', true],
    [['tls://10.0.0.5:4222'], 'localhost', 'DNS:localhost', false],
    [['tls://10.0.0.5:4222'], 'localhost', 'IP Address:10.0.0.6', false],
    [['tls://10.0.0.5:4222', 'tls://localhost:4222'], 'localhost', 'DNS:localhost', true],
    [['tls://localhost:4222'], 'localhost', 'DNS:localhost', true],
    [['tls://one:4222', 'tls://10.0.0.5:4222'], 'one', 'DNS:one', true],
    [['tls://one:4222', 'tls://10.0.0.5:4222'], 'one', 'IP Address:10.0.0.5', false],
  ])('of %j, where Node hears %s, names %s: %p', (servers, dialled, names, taken) => {
    expect(takes(servers, dialled, names)).toBe(taken);
  });
});
