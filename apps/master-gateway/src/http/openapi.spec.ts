/** Rules of the API's description of itself. */
import type { Request, Response } from 'express';
import { baseOf, openApi, openApiPage } from './openapi.js';

interface Ref {
  readonly $ref: string;
}

interface Schema {
  readonly required?: readonly string[];
  readonly oneOf?: readonly Ref[];
}

interface Described {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly requestBody: { readonly content: Readonly<Record<'application/json', { readonly schema: Ref }>> };
        };
      }
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

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

it.each([
  ['/', ['client', 'fun']],
  ['/run', ['client', 'fun']],
  ['/minions', ['tgt', 'fun']],
  ['/ui/can-i', ['tgt', 'fun']],
])('a lowstate of POST %s has to say %j: no client where the path says it', (path, keys) => {
  const { paths, components } = openApi('', true) as unknown as Described;
  const named = ({ $ref }: Ref) => components.schemas[$ref.split('/').at(-1) ?? ''] as Schema;
  const body = named(paths[path]?.post.requestBody.content['application/json'].schema as Ref);
  const [one] = body.oneOf ?? [];
  expect((one === undefined ? body : named(one)).required).toEqual(keys);
});

it.each([
  ['GET', '/', 'page'],
  ['HEAD', '/', 'page'],
  ['POST', '/', 'next handler'],
  ['GET', '/more', 'next handler'],
])('the page for people hears %s of %s and answers it with the %s', (method, path, expected) => {
  const heard: string[] = [];
  const res = { setHeader: () => undefined, end: () => heard.push('page') };
  openApiPage(true)({ method, path } as Request, res as unknown as Response, () => heard.push('next handler'));
  expect(heard).toEqual([expected]);
});
