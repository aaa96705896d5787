import type { Request, Response } from 'express';
import { ownPaths } from './paths.js';

/** Where a request for `url` goes. */
function goesTo(url: string, prefix = ''): string {
  const req = { url, get path() { return this.url.split('?', 1)[0] ?? ''; } }; // prettier-ignore
  ownPaths({ prefix, hookPath: '/from/outside' })(req as Request, {} as Response, () => undefined);
  return req.url;
}

it.each([
  ['/login', '/login'],
  ['//login', '/login'],
  ['/minions//a?x=//y', '/minions/a?x=//y'],
  ['/from/outside/deploy', '/hook/deploy'],
  ['http://salt.example.com/login', '/login'],
  ['HTTPS://salt.example.com:8000//minions?x=http://y//', '/minions?x=http://y//'],
  ['http://[::1]:8000', '/'],
  ['http://salt.example.com?x', '/?x'],
  ['http://salt.example.com/from/outside/deploy', '/hook/deploy'],
  ['*', '*'],
])('%s is asked as %s', (url, path) => {
  expect(goesTo(url)).toBe(path);
});

it('leaves the prefix out, also after a host', () => {
  expect(goesTo('/api/login', '/api')).toBe('/login');
  expect(goesTo('http://salt.example.com/api', '/api')).toBe('/');
});
