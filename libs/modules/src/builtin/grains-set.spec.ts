import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Float, pyStr, type Value, type ValueMap } from '@natrium/model';
import { gatherGrains } from '../grains/gather-grains.js';
import { GrainsFile } from '../grains/grains-file.js';
import { call, named } from '../testing/call-context.js';

let folder = '';
let told = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'natrium-grains-'));
  told = 0;
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A host that has a grain of its own, one in its configuration, and what was set. */
const config = { grains: { fixed: 'by hand' } };
const grains = (): ValueMap => ({ os: 'Debian', ...new GrainsFile(folder).read(), ...config.grains });
const run = (fun: string, ...args: Value[]) =>
  call(`grains.${fun}`, args, {
    config,
    grains,
    grainsFile: new GrainsFile(folder),
    refresh: { grains: async () => (told += 1) > 0, pillar: async () => true },
  });
const set = async (...args: Value[]) => (await run('set', ...args)).ret;
const get = (name: string) => grains()[name];

describe('a grain that is set', () => {
  it('is kept in a file, which a new start reads, and told to the master at once', async () => {
    expect(await set('role', 'web')).toEqual({ comment: '', changes: { role: 'web' }, result: true });
    expect(readFileSync(join(folder, 'grains'), 'utf8')).toBe('"role": "web"\n');
    expect(told).toBe(1);
    expect(gatherGrains('web1', config, new GrainsFile(folder).read())).toMatchObject({
      role: 'web',
      fixed: 'by hand',
    });
    expect(await set('role', 'web')).toEqual({ comment: 'Grain is already set', changes: {}, result: true });
    expect(told).toBe(1);
  });

  it.each<[string, Value]>([
    ['512 KiB', 'x'.repeat(1 << 19)],
    ['50,000 values', Array(50_000).fill(0) as Value],
  ])(
    'makes no more of them than %s: an agent that has more than anybody takes does not start again',
    async (_, value) => {
      await set('role', 'web');
      const { ret, success } = await run('set', 'much', value);
      expect([ret, success]).toEqual([expect.stringContaining('at most 512 KiB and 50,000 values'), false]);
      expect(new GrainsFile(folder).read()).toEqual({ role: 'web' });
    },
  );

  it('may be nested, beside what is there', async () => {
    await set('apps:web:port', 80);
    await set('apps:web:tls', true);
    await set('apps:db', 'pg');
    expect(get('apps')).toEqual({ web: { port: 80, tls: true }, db: 'pg' });
    expect(await set('apps:db:port', 1)).toMatchObject({
      result: false,
      comment:
        "The key 'apps:db' value is 'pg', which is different from the provided key 'port'. Use 'force=True' to overwrite.",
    });
    expect(await set('apps:db:port', 1, true)).toMatchObject({ result: true });
    expect(get('apps')).toEqual({ web: { port: 80, tls: true }, db: { port: 1 } });
  });

  it('goes into a list beside what that holds: into the maps with its key, in the place of its name, or as a map more', async () => {
    await run('setvals', { hosts: ['web', { db: 1 }, { db: 2, x: 3 }] });
    expect(await set('hosts:db', 7)).toMatchObject({ result: true });
    expect(get('hosts')).toEqual(['web', { db: 7 }, { db: 7, x: 3 }]);
    await set('hosts:web:port', 80);
    await set('hosts:mail', 25, true);
    expect(get('hosts')).toEqual([{ web: { port: 80 } }, { db: 7 }, { db: 7, x: 3 }, { mail: 25 }]);
    expect((await run('append', 'hosts:none', 1)).retcode).toBe(1);
    await run('append', 'hosts:x', 4, named({ convert: true }));
    expect(get('hosts')).toEqual([{ web: { port: 80 } }, { db: 7 }, { db: 7, x: [3, 4] }, { mail: 25 }]);
  });

  it('takes the place of a map or a list with force only', async () => {
    await set('roles', ['a']);
    expect(await set('roles', 'b')).toMatchObject({
      result: false,
      comment: expect.stringContaining('force=True') as string,
    });
    expect((await run('set', 'roles', 'b')).retcode).toBe(1);
    expect(get('roles')).toEqual(['a']);
    expect(await set('roles', 'b', named({ force: true }))).toMatchObject({ result: true });
    expect(await set('roles', { c: 1 })).toMatchObject({ result: false });
    expect(get('roles')).toBe('b');
  });

  it('is hidden by one in the configuration, and that is said', async () => {
    expect(await set('fixed', 'x')).toMatchObject({ comment: expect.stringContaining('configuration') as string });
    expect(get('fixed')).toBe('by hand');
  });

  it('takes what Salt takes of refresh_pillar, by its place and by its name', async () => {
    expect((await run('setval', 'a', 1, false, false)).ret).toEqual({ a: 1 });
    expect((await run('setval', 'b', 2, named({ refresh_pillar: false }))).ret).toEqual({ b: 2 });
    expect((await run('setvals', { c: 3 }, false, false)).ret).toEqual({ c: 3 });
    expect((await run('setvals', { d: 4 }, named({ refresh_pillar: false }))).ret).toEqual({ d: 4 });
    expect((await run('setval', 'e', 5, false, false, 'x')).success).toBe(false);
    expect(new GrainsFile(folder).read()).toEqual({ a: 1, b: 2, c: 3, d: 4 });
  });

  it('goes with delkey, and is empty after delval', async () => {
    await run('setvals', { a: 1, b: { c: 2, d: 3 } });
    expect((await run('delval', 'a')).ret).toMatchObject({ result: true, changes: { a: null } });
    expect(get('a')).toBeNull();
    expect((await run('delkey', 'a')).ret).toMatchObject({ result: true });
    expect((await run('delkey', 'b')).ret).toMatchObject({ result: false });
    expect((await run('delkey', 'b:c')).ret).toMatchObject({ result: true });
    expect(new GrainsFile(folder).read()).toEqual({ b: { d: 3 } });
    expect((await run('delkey', 'b', true)).ret).toMatchObject({ result: true });
    expect(new GrainsFile(folder).read()).toEqual({});
  });
});

it('what is not there stays so when it is taken away, and what is empty holds nothing in the way', async () => {
  await run('setval', 'empty', null);
  for (const key of ['none', 'none:at:all', 'empty:x'])
    expect((await run('delkey', key)).ret).toEqual({ comment: 'There is no such grain', changes: {}, result: true });
  expect(new GrainsFile(folder).read()).toEqual({ empty: null });
  expect(await set('empty:x', 1)).toMatchObject({ result: true });
  expect(get('empty')).toEqual({ x: 1 });
});

it('a list takes and gives values once', async () => {
  expect((await run('append', 'roles', 'web')).ret).toEqual({ roles: ['web'] });
  expect((await run('append', 'roles', ['db', 'mail'])).ret).toEqual({ roles: ['web', 'db', 'mail'] });
  expect(await run('append', 'roles', 'web')).toMatchObject({
    ret: 'The val web was already in the list roles',
    retcode: 0,
  });
  expect((await run('remove', 'roles', 'db')).ret).toEqual({ roles: ['web', 'mail'] });
  expect(await run('remove', 'roles', 'db')).toMatchObject({ ret: 'The val db was not in the list roles', retcode: 0 });
  expect(await run('append', 'os', 'x')).toMatchObject({ ret: 'The key os is not a valid list', retcode: 1 });
  expect((await run('append', 'os', 'x', named({ convert: true }))).ret).toEqual({ os: ['Debian', 'x'] });
  expect((await run('append', 'deep:er', 1)).ret).toEqual({ deep: { er: [1] } });
});

it('a grain without a value is no list, unless it shall become one', async () => {
  await run('setval', 'roles', null);
  const refused = { ret: 'The key roles is not a valid list', retcode: 1 };
  expect(await run('append', 'roles', 'web')).toMatchObject(refused);
  expect(await run('remove', 'roles', 'web')).toMatchObject(refused);
  expect((await run('append', 'roles', 'web', named({ convert: true }))).ret).toEqual({ roles: ['web'] });
});

it.each<[string, Value]>([
  ['characters', 'a\u007fb\u009b\u0085\u2028\u2029\ufeff\uffff'],
  ['numbers', [new Float(1e21), new Float(1), 1e-7, new Float(NaN), new Float(Infinity), 10n ** 30n, 5]],
  ['words of YAML', ['yes', 'null', '1.0', '<<', '- a', ': ', '# a', '']],
  ['a map', { '<<': { a: 1 }, '\u007f': [{ yes: null }] }],
])('what is set is read again as it was: %s', async (name, value) => {
  await run('setval', name, value);
  expect(new GrainsFile(folder).read()).toEqual({ [name]: value });
  expect((await run('setval', 'another\u007f', 1)).success).toBe(true);
  expect(new GrainsFile(folder).read()).toEqual({ [name]: value, 'another\u007f': 1 });
});

it.each<[string, (path: string) => void, RegExp]>([
  [
    'no mapping',
    (path) => {
      writeFileSync(path, '- a list\n');
    },
    /: it is not a mapping of grains$/,
  ],
  [
    'no YAML',
    (path) => {
      writeFileSync(path, 'role: [web\n');
    },
    / is no YAML: a bracket or a quote that is open before this line is not closed \(line 2, column 1\)$/,
  ],
  [
    'YAML that Salt reads otherwise',
    (path) => {
      writeFileSync(path, 'os: x\nroles: [?db, web]\n');
    },
    / is no YAML: a word that begins with \? within brackets needs quotes \(line 2, column 9\)$/,
  ],
  [
    'of two files, of which the second has a byte order mark,',
    (path) => {
      writeFileSync(path, 'os: x\n\ufeffrole: web\n');
    },
    / is no YAML: the character U\+FEFF, which is not seen, begins this line: take it out \(line 2, column 1\)$/,
  ],
  [
    'no file',
    (path) => {
      mkdirSync(path);
    },
    / cannot be read: EISDIR/,
  ],
])('what is %s is named with its path, and nothing of it is lost', async (_, make, why) => {
  const file = new GrainsFile(folder);
  make(file.path);
  expect(() => file.read()).toThrow(why);
  const { ret, retcode } = await call('grains.setval', ['a', 1], { grains: () => ({}), grainsFile: file });
  expect(ret).toMatch(why);
  expect(pyStr(ret).startsWith(`ERROR: ${file.path}`)).toBe(true);
  expect(retcode).toBe(1);
  expect(() => file.read()).toThrow(why);
});
