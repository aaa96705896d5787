/** Who asks for TLS says nothing to a broker that offers none: whoever sits in between could take it out of the offer. */
import { X509Certificate } from 'node:crypto';
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

/** For fd00::5, by `openssl req -x509 -addext subjectAltName=IP:fd00::5`. */
const OF_FD00_5 = new X509Certificate(`-----BEGIN CERTIFICATE-----
MIIBljCCATygAwIBAgIUWiO/2PUQ708Spb8l/p/IkNi4mTowCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGYnJva2VyMCAXDTI2MTEzMDExMTY1N1oYDzIxMjYxMTA2MTEx
NjU3WjARMQ8wDQYDVQQDDAZicm9rZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AAQ3/sd9q49892yEn49k3tIFFBLFVEPrlEJp9KKtZWpKHar8r862vfPq+htVaapT
GelWF/BN4Lc3DK2Yaf8rEqB3o3AwbjAdBgNVHQ4EFgQURS9A0gm/qD0KPwPuDaz3
PfIXa84wHwYDVR0jBBgwFoAURS9A0gm/qD0KPwPuDaz3PfIXa84wDwYDVR0TAQH/
BAUwAwEB/zAbBgNVHREEFDAShxD9AAAAAAAAAAAAAAAAAAAFMAoGCCqGSM49BAMC
A0gAMEUCIQCrV7fg/lxuVopRzTKAAbf8zV6izMQffm90JszchO67mwIgJ7nAHpoU
q0awp9v5+1e9hDxNGuAgl8qQsHjLJdNhqCE=
-----END CERTIFICATE-----
`);

describe('the certificate of a node', () => {
  /** @param dialled As Node hears it: `localhost` for every address. */
  function takes(servers: readonly string[], dialled: string, names: string, raw?: Buffer): boolean {
    const { tls } = settings({ servers, name: 'test', tls: {} });
    const check = (tls as { checkServerIdentity?: typeof checkServerIdentity }).checkServerIdentity;
    const certificate = { subjectaltname: names, subject: { CN: 'broker' }, raw } as unknown as PeerCertificate;
    return (check ?? checkServerIdentity)(dialled, certificate) === undefined;
  }

  it.each([
    [['tls://10.0.0.5:4222'], 'localhost', 'IP Address:10.0.0.5', true],
    [['tls://10.0.0.5:4222'], 'localhost', 'DNS:localhost', false],
    [['tls://10.0.0.5:4222'], 'localhost', 'IP Address:10.0.0.6', false],
    [['tls://10.0.0.5:4222', 'tls://localhost:4222'], 'localhost', 'DNS:localhost', true],
    [['tls://localhost:4222'], 'localhost', 'DNS:localhost', true],
    [['tls://one:4222', 'tls://10.0.0.5:4222'], 'one', 'DNS:one', true],
    [['tls://one:4222', 'tls://10.0.0.5:4222'], 'one', 'IP Address:10.0.0.5', false],
  ])('of %j, where Node hears %s, names %s: %p', (servers, dialled, names, taken) => {
    expect(takes(servers, dialled, names)).toBe(taken);
  });

  it.each([
    [['tls://10.0.0.5:4222', 'tls://[fd00::5]:4222'], true],
    [['tls://[FD00:0::0:5]:4222'], true],
    [['tls://10.0.0.5:4222', 'tls://[fd00::6]:4222'], false],
  ])('of %j names fd00::5: %p, also to a Node that finds no such address in it', (servers, taken) => {
    const { subjectAltName = '', raw } = OF_FD00_5;
    for (const found of [subjectAltName, '']) expect(takes(servers, 'localhost', found, raw)).toBe(taken);
  });
});
