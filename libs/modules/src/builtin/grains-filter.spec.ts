/** Rules of `grains.filter_by`: the entry of a map that is for this host, in Salt's order of looking. */
import type { Value, ValueMap } from '@natrium/model';
import { call, named } from '../testing/call-context.js';

const GRAINS: ValueMap = { os_family: 'Debian', id: 'web1', roles: ['cache', 'web'], port: 80, none: null };
const grains = () => GRAINS;
const filter = (...sent: Value[]) => call('grains.filter_by', sent, { grains });

it.each<[string, Value[], Value]>([
  ['the family of its system', [{ RedHat: 'httpd', Debian: 'apache2' }], 'apache2'],
  ['the grain that is named', [{ web1: 'a', web2: 'b' }, 'id'], 'a'],
  ['a glob of its value', [{ 'db*': 'a', 'web[0-9]': 'b', '*': 'c' }, 'id'], 'b'],
  ['its value in that case alone', [{ debian: 'a', default: 'b' }], 'b'],
  ['each item of a list, in its order', [{ web: 'a', cache: 'b' }, 'roles'], 'b'],
  ['one item of a list', [{ web: 'a' }, 'roles:1'], 'a'],
  ['a number by its text', [{ 80: 'a' }, 'port'], 'a'],
  ['a value that is None by this word', [{ None: 'a' }, 'none'], 'a'],
  ['the default where none matches', [{ RedHat: 'a', default: 'b' }], 'b'],
  ['the default where the grain is missing', [{ '*': 'a', other: 'b' }, 'nope', null, 'other'], 'b'],
  ['an entry that is null as one that is missing', [{ Debian: null, default: 'b' }], 'b'],
  ['nothing', [{ RedHat: 'a' }], null],
  ['no name that a map has by itself', [{ RedHat: 'a' }, 'nope', null, 'constructor'], null],
])('goes by %s', async (_, sent, ret) => {
  expect((await filter(...sent)).ret).toEqual(ret);
});

it.each<[ValueMap, Value]>([
  [{ merge: { srv: 'x' } }, { pkg: 'apache2', opt: { a: 1, b: 2 }, srv: 'x' }],
  [{ merge: { opt: { b: 3, c: 4 } } }, { pkg: 'apache2', opt: { a: 1, b: 3, c: 4 } }],
  [{ merge: { opt: [1] } }, { pkg: 'apache2', opt: [1] }],
  [{ merge: {} }, { pkg: 'apache2', opt: { a: 1, b: 2 } }],
  [{ base: 'all' }, { opt: { z: 0, a: 1, b: 2 }, log: 'on', pkg: 'apache2' }],
  [
    { base: 'all', merge: { log: 'off' } },
    { opt: { z: 0, a: 1, b: 2 }, log: 'off', pkg: 'apache2' },
  ],
  [
    { base: 'all', grain: 'nope' },
    { opt: { z: 0, a: 0 }, log: 'on' },
  ],
  [{ base: 'nope' }, { pkg: 'apache2', opt: { a: 1, b: 2 } }],
  [{ merge: { a: 1 }, grain: 'nope' }, { a: 1 }],
])('merges with %j, and what comes later counts', async (how, ret) => {
  const table = { Debian: { pkg: 'apache2', opt: { a: 1, b: 2 } }, all: { opt: { z: 0, a: 0 }, log: 'on' } };
  expect((await filter(table, named(how))).ret).toEqual(ret);
});

it.each<[Value[], RegExp]>([
  [['no map'], /must be a map/],
  [[{ Debian: {} }, named({ merge: [1] })], /merge argument must be a dictionary/],
  [[{ Debian: 'text' }, named({ merge: { a: 1 } })], /merges into a dictionary, and what it found is none/],
  [[{ Debian: 'text', all: { a: 1 } }, named({ base: 'all' })], /look-up values must both be dictionaries/],
])('refuses %j', async (sent, why) => {
  const { ret, success } = await filter(...sent);
  expect(ret).toMatch(why);
  expect(success).toBe(false);
});
