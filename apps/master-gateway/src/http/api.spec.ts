/** What a client hears that must not do a thing twice. */
import { ServiceUnavailableException } from '@nestjs/common';
import type { Request, Response } from 'express';
import pino from 'pino';
import type { EventFeed } from '../event-feed.js';
import { Api } from './api.js';
import type { Clients } from './clients.js';
import type { EventStreams } from './event-streams.js';
import type { Sessions } from './sessions.js';

const RES = { getHeader: () => 'id-1' } as unknown as Response;

function anApi(parts: { readonly fire?: EventFeed['fire']; readonly logout?: Sessions['logout'] }) {
  const logged: string[] = [];
  const sessions = { login: () => Promise.resolve({ token: 'f'.repeat(64) }), logout: parts.logout };
  const api = new Api({
    sessions: sessions as unknown as Sessions,
    clients: { runAll: () => Promise.resolve([{ a: true }]) } as unknown as Clients,
    streams: {} as EventStreams,
    feed: { fire: parts.fire } as EventFeed,
    openHook: true,
    openStats: false,
    log: pino({ level: 'warn' }, { write: (line) => logged.push(line) }),
  });
  return { api, logged };
}

const never = () => new Promise<void>(() => undefined);

describe('/run with credentials', () => {
  const low = { client: 'local', fun: 'test.ping', username: 'u', password: 'p', eauth: 'file' };

  it.each([
    ['fails', () => Promise.reject(new ServiceUnavailableException('No acl-service answered'))],
    ['takes for ever', never],
  ])('is answered also where the logout behind it %s', async (_about, logout) => {
    const { api, logged } = anApi({ logout });
    expect(await api.runSessionless([low], { headers: {} } as Request, RES)).toEqual([{ a: true }]);
    await new Promise(setImmediate);
    expect(logged.join()).toMatch(logout === never ? /^$/ : /lives on until its end/);
    expect(logged.join()).not.toContain('ffff');
  });
});
