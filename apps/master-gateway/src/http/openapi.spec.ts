import { baseOf, openApi } from './openapi.js';

it.each([
  ['/openapi.json', '/'],
  ['/openapi.json/?x=/y', '/'],
  ['/api/openapi.json', '/api'],
  ['//api//openapi.json?x', '/api'],
  ['http://salt.example.com/api/openapi.json', '/api'],
])('whoever asked for %s finds the API at %s', (url, base) => {
  expect(openApi(baseOf(url), true)).toMatchObject({ servers: [{ url: base }] });
});

it('it names no path of sessions where there are none', () => {
  const names = (hasSessions: boolean) => Object.keys(openApi('', hasSessions)['paths'] as object);
  const [all, some] = [names(true), names(false)];
  const forSessions = ['/login', '/logout', '/minions', '/minions/{id}', '/jobs', '/jobs/{id}'];
  expect(all.filter((path) => !some.includes(path))).toEqual(forSessions);
});
