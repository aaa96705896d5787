import { baseOf, openApi } from './openapi.js';

it.each([
  ['/openapi.json', '/'],
  ['/openapi.json/?x=/y', '/'],
  ['/api/openapi.json', '/api'],
  ['//api//openapi.json?x', '/api'],
  ['http://salt.example.com/api/openapi.json', '/api'],
])('whoever asked for %s finds the API at %s', (url, base) => {
  expect(openApi(baseOf(url))).toMatchObject({ servers: [{ url: base }] });
});
