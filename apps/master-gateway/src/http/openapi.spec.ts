/** Rules of the API's description of itself. */
import type { Request, Response } from 'express';
import { baseOf, openApi, openApiDoors } from './openapi.js';

const DOORS = { hasSessions: true, hookPath: '/hook' };

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

const pathsOf = (own: Partial<typeof DOORS>) => Object.keys(openApi('', { ...DOORS, ...own })['paths'] as object);

it.each([
  ['/openapi.json', '/'],
  ['/openapi.json/?x=/y', '/'],
  ['/api/openapi.json', '/api'],
  ['//api//openapi.json?x', '/api'],
  ['http://salt.example.com/api/openapi.json', '/api'],
])('whoever asked for %s finds the API at %s', (url, base) => {
  expect(openApi(baseOf(url), DOORS)).toMatchObject({ servers: [{ url: base }] });
});

it('it names no path of sessions where there are none', () => {
  const [all, some] = [pathsOf({}), pathsOf({ hasSessions: false })];
  const forSessions = ['/login', '/logout', '/minions', '/minions/{id}', '/jobs', '/jobs/{id}'];
  expect(all.filter((path) => !some.includes(path))).toEqual(forSessions);
});

it('it names the path at which hooks are, and no other', () => {
  const hooks = (own: Partial<typeof DOORS>) => pathsOf(own).filter((path) => path.endsWith('/{tag}'));
  expect([hooks({}), hooks({ hookPath: '/from/$&/outside' })]).toEqual([['/hook/{tag}'], ['/from/$&/outside/{tag}']]);
});

it.each([
  ['/', ['client', 'fun']],
  ['/run', ['client', 'fun']],
  ['/minions', ['tgt', 'fun']],
  ['/ui/can-i', ['tgt', 'fun']],
])('a lowstate of POST %s has to say %j: no client where the path says it', (path, keys) => {
  const { paths, components } = openApi('', DOORS) as unknown as Described;
  const named = ({ $ref }: Ref) => components.schemas[$ref.split('/').at(-1) ?? ''] as Schema;
  const body = named(paths[path]?.post.requestBody.content['application/json'].schema as Ref);
  const [one] = body.oneOf ?? [];
  expect((one === undefined ? body : named(one)).required).toEqual(keys);
});

it.each([
  ['GET', '/openapi', 'page'],
  ['HEAD', '/openapi/', 'page'],
  ['POST', '/openapi', 'next handler'],
  ['GET', '/openapi/more', 'next handler'],
])('the page for people hears %s of %s and answers it with the %s', async (method, path, expected) => {
  const heard: string[] = [];
  const res = { setHeader: () => undefined, end: () => heard.push('page') };
  await openApiDoors(DOORS)({ method, path } as Request, res as unknown as Response, () => heard.push('next handler'));
  expect(heard).toEqual([expected]);
});
