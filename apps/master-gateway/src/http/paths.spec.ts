import type { Request, Response } from 'express';
import { NotFoundException } from '@nestjs/common';
import { ownPaths } from './paths.js';

/** Where a request for `url` goes. */
function goesTo(url: string, { prefix = '', hookPath = '/from/outside' } = {}): string {
  const req = { url, get path() { return this.url.split('?', 1)[0] ?? ''; } }; // prettier-ignore
  let refused: unknown;
  const next = (error?: unknown) => (refused = error);
  void ownPaths({ prefix, hookPath })(req as Request, {} as Response, next);
  return refused instanceof NotFoundException ? '404' : req.url;
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

it.each(['/hook', '/hook/deploy', '/api/hook/deploy', '/hook/'])(
  'takes no event at %s where hooks are elsewhere: their path may be all that protects them',
  (url) => {
    expect(goesTo(url, { prefix: '/api' })).toBe('404');
    expect(goesTo(url, { prefix: '/api', hookPath: '/hook' })).toBe(url.replace('/api', ''));
  },
);

it('reads the path of hooks as it is written, as Salt does', () => {
  expect(goesTo('/HOOK/deploy')).toBe('404');
  expect(goesTo('/HOOK/deploy', { hookPath: '/hook' })).toBe('404');
});

it('knows a path that only begins as that of hooks', () => {
  expect(goesTo('/hooks')).toBe('/hooks');
  expect(goesTo('/from/outsider')).toBe('/from/outsider');
  expect(goesTo('/hook/a/b', { hookPath: '/hook/a' })).toBe('/hook/b');
});

it('leaves the prefix out, also after a host', () => {
  expect(goesTo('/api/login', { prefix: '/api' })).toBe('/login');
  expect(goesTo('http://salt.example.com/api', { prefix: '/api' })).toBe('/');
});
