/** Rules of the way to a directory, against servers that speak the protocol just as far as told. */
import { once } from 'node:events';
import type { MasterConfig } from '@natrium/config';
import { ldap } from './ldap.js';
import { withDirectory } from './ldap-directory.js';
import {
  answer,
  BOUND,
  found,
  LdapServers,
  MAY_NOT_SEARCH,
  NOT_BOUND,
  SEARCHED,
  serving,
  STARTTLS_TAKEN,
  TOO_BUSY,
} from './ldap-server.spec-support.js';
import { ldapSettings } from './ldap-settings.js';

const servers = new LdapServers();
afterEach(() => servers.stop());

/** What its back end has to say is in `logged`. */
function aBackEnd(given: Readonly<Record<string, unknown>>) {
  const logged: string[] = [];
  const hear = (...said: unknown[]) => void logged.push(JSON.stringify(said.at(-1)));
  const config = { auth_ldap: { basedn: 'dc=x', binddn: 'uid={{ username }},dc=x', ...given } };
  const backEnd = ldap({}, { config: config as unknown as MasterConfig, log: { info: hear, warn: hear, error: hear } });
  return { login: (username: string) => backEnd.authenticate({ username, secret: 'one' }), logged };
}

function open(uri: string): Promise<void> {
  const settings = ldapSettings(
    { uri, starttls: true, no_verify: true, binddn: 'uid={{ username }},dc=x' },
    () => undefined,
  );
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  return withDirectory({ settings, log: silent }, () => Promise.resolve());
}

it('a directory that takes StartTLS and then is silent fails in time, and its connection ends', async () => {
  let ended: Promise<unknown> | undefined;
  const uri = await servers.start((socket) => {
    ended = once(socket, 'close');
    socket.once('data', (asked) => socket.write(answer(asked, STARTTLS_TAKEN)));
  });
  await expect(open(uri)).rejects.toThrow(/StartTLS .* failed: .*too long/);
  await ended;
});

it('a directory that answers nothing at all fails in time', async () => {
  const uri = await servers.start((socket) => socket.resume());
  await expect(open(uri)).rejects.toThrow(/StartTLS .* failed/);
});

it('a name that is no distinguished name is bound as it was typed', async () => {
  const asked: string[] = [];
  const uri = await servers.start((socket) => {
    socket.on('data', (operation) => {
      asked.push(operation.toString());
      socket.write(answer(operation, NOT_BOUND));
    });
  });
  const { login } = aBackEnd({ uri, binddn: '{{ username }}@example.com' });
  expect(await login("o'brien")).toBeUndefined();
  expect(asked[0]).toContain("o'brien@example.com");
  const heard = asked.length;
  expect(await login('fred@other.com')).toBeUndefined();
  expect(asked).toHaveLength(heard);
});

it('where nobody may read his own entry, lower case comes in and no other spelling does', async () => {
  const { login } = aBackEnd({ uri: await servers.start(serving(BOUND, MAY_NOT_SEARCH, SEARCHED)) });
  expect(await login('fred')).toEqual({ name: 'fred', groups: [] });
  expect(await login('FRED')).toBeUndefined();
});

it('who may read no groups is in none, and comes in; whom nobody may look for does not', async () => {
  const uri = await servers.start(serving(BOUND, found('uid=fred,dc=x', { uid: 'fred' }), MAY_NOT_SEARCH));
  expect(await aBackEnd({ uri }).login('fred')).toEqual({ name: 'fred', groups: [] });
  const bySearch = { binddn: 'cn=reader,dc=x', bindpw: 'two', filter: 'uid={{ username }}' };
  const closed = await servers.start(serving(BOUND, MAY_NOT_SEARCH));
  await expect(aBackEnd({ uri: closed, ...bySearch }).login('fred')).rejects.toThrow('a search');
});

describe('of two addresses', () => {
  const away = 'ldap://127.0.0.1:1';
  const own = found('uid=fred,dc=x', { uid: 'fred' });
  const admin = found('cn=admins,ou=Groups,dc=x', { cn: 'admins', memberUid: 'fred' });

  it('the second is asked where nobody answers at the first, and the log says so', async () => {
    const { login, logged } = aBackEnd({ uri: `${away} ${await servers.start(serving(BOUND, own, admin))}` });
    expect(await login('fred')).toEqual({ name: 'fred', groups: ['admins'] });
    expect(logged).toEqual([expect.stringContaining('the next address is asked')]);
  });

  it('the second is not asked where the first refuses, or is too busy', async () => {
    let asked = 0;
    const takes = await servers.start((socket) => {
      asked += 1;
      serving(BOUND, own, admin)(socket);
    });
    const login = async (bound: string) =>
      aBackEnd({ uri: `${await servers.start(serving(bound))} ${takes}` }).login('fred');
    expect(await login(NOT_BOUND)).toBeUndefined();
    await expect(login(TOO_BUSY)).rejects.toThrow('a bind');
    expect(asked).toBe(0);
  });

  it('nobody comes in where neither answers', async () => {
    await expect(aBackEnd({ uri: `${away} ${away}` }).login('fred')).rejects.toThrow('a bind');
  });
});
