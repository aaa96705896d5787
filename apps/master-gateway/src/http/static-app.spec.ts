/** Files that anybody may read, over a real socket. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import express, { type NextFunction, type Request, type Response } from 'express';
import { staticApp } from './static-app.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-static-'));
  writeFileSync(join(folder, 'icon.ico'), 'an icon');
  writeFileSync(join(folder, 'index.html'), 'a page');
  symlinkSync('icon.ico', join(folder, 'link.ico'));
  mkdirSync(join(folder, 'folder.ico'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** @returns Status, type and text of `path`, where these are the API's files; 418: the request went on to the API. */
async function asks(favicon: string | undefined, path = '/favicon.ico', method = 'GET') {
  const own = express().use(
    ...staticApp({
      app: join(folder, 'index.html'),
      appPath: '/app',
      static: undefined,
      staticPath: '/static',
      favicon,
    }),
  );
  own.use((_req, res) => void res.status(418).end());
  own.use((error: { getStatus(): number }, _req: Request, res: Response, _next: NextFunction) => {
    res.status(error.getStatus()).end();
  });
  const server = own.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}${path}`;
  const answer = await fetch(url, { method, headers: { Accept: '*/*', Connection: 'close' } });
  const told = [answer.status, answer.headers.get('Content-Type'), await answer.text()];
  server.close();
  return told;
}

describe('/favicon.ico', () => {
  const ICON = [200, 'image/vnd.microsoft.icon', 'an icon'];

  it.each([
    ['its path', () => join(folder, 'icon.ico')],
    ['a relative one', () => relative(process.cwd(), join(folder, 'icon.ico'))],
    ['a link to it', () => join(folder, 'link.ico')],
  ])('is the file that favicon names by %s', async (_, favicon) => {
    expect(await asks(favicon())).toEqual(ICON);
  });

  it.each([
    ['is not there', 'none.ico'],
    ['is a folder', 'folder.ico'],
  ])('is 404 while that %s', async (_, name) => {
    expect(await asks(join(folder, name))).toEqual([404, null, '']);
  });

  it('is nothing of its own without the setting, and takes nothing', async () => {
    expect((await asks(undefined))[0]).toBe(418);
    expect((await asks(join(folder, 'icon.ico'), '/favicon.ico', 'POST'))[0]).toBe(418);
    expect((await asks(join(folder, 'icon.ico'), '/favicon.icon'))[0]).toBe(418);
  });
});
