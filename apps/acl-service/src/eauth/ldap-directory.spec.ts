/** Rules of the way to a directory, against servers that speak the protocol just as far as told. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { MasterConfig } from '@natrium/config';
import { ldap } from './ldap.js';
import { Directory } from './ldap-directory.js';
import { ldapSettings } from './ldap-settings.js';

/** An ExtendedResponse of success, and a BindResponse of invalidCredentials. */
const TAKEN = '78070a010004000400';
const REFUSED = '61070a013104000400';

/** @param asked The number of the operation is its fifth byte. */
function answer(asked: Buffer, body: string): Buffer {
  return Buffer.concat([Buffer.from('300c0201', 'hex'), asked.subarray(4, 5), Buffer.from(body, 'hex')]);
}

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** @returns Its address. */
async function aServer(serve: (socket: Socket) => void): Promise<string> {
  const server = createServer(serve);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return `ldap://127.0.0.1:${String(port)}`;
}

function open(uri: string): Promise<Directory> {
  const given = { uri, starttls: true, no_verify: true, binddn: 'uid={{ username }},dc=x' };
  return Directory.open(ldapSettings(given, () => undefined));
}

it('a directory that takes StartTLS and then is silent fails in time, and its connection ends', async () => {
  let ended: Promise<unknown> | undefined;
  const uri = await aServer((socket) => {
    ended = once(socket, 'close');
    socket.once('data', (asked) => socket.write(answer(asked, TAKEN)));
  });
  await expect(open(uri)).rejects.toThrow(/StartTLS .* failed: .*too long/);
  await ended;
});

it('a directory that answers nothing at all fails in time', async () => {
  const uri = await aServer((socket) => socket.resume());
  await expect(open(uri)).rejects.toThrow(/StartTLS .* failed/);
});

it('a name that is no distinguished name is bound as it was typed', async () => {
  const asked: string[] = [];
  const uri = await aServer((socket) => {
    socket.on('data', (operation) => {
      asked.push(operation.toString());
      socket.write(answer(operation, REFUSED));
    });
  });
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const config = { auth_ldap: { uri, binddn: '{{ username }}@example.com' } } as unknown as MasterConfig;
  const login = (username: string) => ldap({}, { config, log: silent }).authenticate({ username, secret: 'one' });
  expect(await login("o'brien")).toBeUndefined();
  expect(asked[0]).toContain("o'brien@example.com");
  const heard = asked.length;
  expect(await login('fred@other.com')).toBeUndefined();
  expect(asked).toHaveLength(heard);
});

it('where nobody may read his own entry, lower case comes in and no other spelling does', async () => {
  // BindResponse of success; SearchResultDone of insufficientAccessRights, and of success.
  const [bound, denied, none] = ['61070a010004000400', '65070a013204000400', '65070a010004000400'];
  const uri = await aServer((socket) => {
    let searches = 0;
    socket.on('data', (operation) => {
      const tag = operation[5];
      if (tag === 0x60) socket.write(answer(operation, bound));
      if (tag === 0x63) socket.write(answer(operation, (searches += 1) === 1 ? denied : none));
    });
  });
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const config = { auth_ldap: { uri, basedn: 'dc=x', binddn: 'uid={{ username }},dc=x' } } as unknown as MasterConfig;
  const login = (username: string) => ldap({}, { config, log: silent }).authenticate({ username, secret: 'one' });
  expect(await login('fred')).toEqual({ name: 'fred', groups: [] });
  expect(await login('FRED')).toBeUndefined();
});
