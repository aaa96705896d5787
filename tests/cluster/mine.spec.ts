/** The mine in a whole cluster: what one minion keeps, others read, as far as its owner allows it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_PEER } from '../support/examples.js';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';

const CONFIG = `
mine_functions:
  test.echo: [from a]
  alias: [{ mine_function: test.arg }, 1, { x: 2 }]
  secret: { mine_function: test.echo, text: for b alone, allow_tgt: b }
  by_role: { mine_function: test.echo, text: for role web, allow_tgt: 'role:web', allow_tgt_type: grain }
  broken_rule: { mine_function: test.echo, text: nobody, allow_tgt: '(', allow_tgt_type: compound }
  shell: { mine_function: cmd.run, cmd: echo configured }
`;
const ALIAS = { args: [1], kwargs: { x: 2 } };

let cluster: UpCluster;
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-mine-'));
  const place = join(folder, 'minions', 'a', 'minion.d');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'mine.conf'), CONFIG);
  cluster = await upCluster({
    minions: ['a', 'b', 'c'],
    masterConfig: NO_PEER,
    folder,
    grains: { b: { role: 'db' }, c: { role: 'web' } },
  });
  await cluster.call('a', 'mine.update'); // the one of its start may still be under way
}, START_MS);

afterAll(async () => {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function on(id: string, ...words: readonly string[]) {
  const { stdout, code, stderr } = await cluster.call(id, ...words, '--out=json');
  const ret = stdout === '' ? undefined : (JSON.parse(stdout) as { readonly local: unknown }).local;
  return { code, stderr, ret };
}
const read = async (id: string, ...words: readonly string[]) => (await on(id, 'mine.get', ...words)).ret;

it('what a minion keeps, others read by function or alias, under every type of target', async () => {
  expect(await read('b', '*', 'test.echo')).toEqual({ a: 'from a' });
  expect(await read('b', 'a,c', 'alias', 'tgt_type=list')).toMatchObject({ a: ALIAS });
  expect(await read('c', '*', 'test.echo,alias')).toMatchObject({ 'test.echo': { a: 'from a' }, alias: { a: ALIAS } });
  expect(await read('b', 'role:web', 'test.echo', 'tgt_type=grain')).toEqual({});
  expect(await read('a', '*', 'test.echo', 'exclude_minion=True')).toEqual({});
  expect(await read('b', '*', 'no.such')).toEqual({});
});

it('allow_tgt lets read whom it certainly means, and for all others it is not there', async () => {
  expect(await read('b', '*', 'secret')).toEqual({ a: 'for b alone' });
  expect(await read('c', '*', 'secret')).toEqual({});
  expect(await read('c', '*', 'by_role')).toEqual({ a: 'for role web' });
  expect(await read('b', '*', 'by_role')).toEqual({});
  expect(await read('b', '*', 'broken_rule')).toEqual({});
});

it('no minion guesses at pillar by a target', async () => {
  const { ret, code, stderr } = await on('b', 'mine.get', 'password:a*', 'test.echo', 'tgt_type=pillar');
  expect(ret).toBeUndefined();
  expect(stderr).toContain('pillar may be used in this target exactly only');
  expect(code).toBe(13);
});

it('what is sent, changed, deleted and flushed is so for the others', async () => {
  expect((await on('c', 'mine.send', 'test.echo', 'from c')).ret).toBe(true);
  expect((await on('c', 'mine.send', 'mine_of_c', 'mine_function=test.echo', 'allow_tgt=a', 'text=only a')).ret).toBe(
    true,
  );
  expect(await read('a', '*', 'test.echo')).toEqual({ a: 'from a', c: 'from c' });
  expect(await read('a', '*', 'mine_of_c')).toEqual({ c: 'only a' });
  expect(await read('b', '*', 'mine_of_c')).toEqual({});
  expect((await on('c', 'mine.delete', 'test.echo')).ret).toBe(true);
  expect(await read('a', '*', 'test.echo')).toEqual({ a: 'from a' });
  expect((await on('c', 'mine.flush')).ret).toBe(true);
  expect(await read('a', '*', 'mine_of_c')).toEqual({});
});

it('valid tells what mine_functions names', async () => {
  const { stdout } = await cluster.natrium('a', 'mine.valid', '--out=json', '--static');
  expect(JSON.parse(stdout)).toMatchObject({ a: { 'test.echo': ['from a'], alias: { 'test.arg': [1, { x: 2 }] } } });
});

it('a job has run only what the configuration names or what looks', async () => {
  const job = async (...words: readonly string[]) => {
    const { stdout } = await cluster.natrium('a', ...words, '--out=json', '--static');
    return (JSON.parse(stdout) as { readonly a: unknown }).a;
  };
  expect(await job('mine.send', 'cmd.run', 'echo other')).toMatch(/is not in mine_functions/);
  expect(await job('mine.send', 'shell', 'mine_function=cmd.run', 'cmd=echo other')).toMatch(
    /is not in mine_functions/,
  );
  expect(await job('mine.update', "mine_functions={cmd.run: ['echo other']}")).toMatch(/is not in mine_functions/);
  expect(await job('mine.send', 'publish.publish', '*', 'test.ping')).toMatch(/cannot be kept in a mine/);
  expect(await read('b', '*', 'cmd.run')).toEqual({});
  expect(await job('mine.send', 'shell', 'mine_function=cmd.run', 'cmd=echo configured')).toBe(true);
  expect(await job('mine.send', 'network.ip_addrs')).toBe(true);
  expect(await read('b', '*', 'shell')).toEqual({ a: 'configured' });
});

it('what is nested too deeply for others to read is refused, and what was kept stays', async () => {
  const nested = (levels: number) =>
    on('c', 'mine.send', 'deep', 'mine_function=test.echo', `text=${'['.repeat(levels)}${']'.repeat(levels)}`);
  expect((await nested(10)).ret).toBe(true);
  expect((await nested(23)).stderr).toContain('nested too deeply to be read; nothing was kept');
  expect(await read('b', '*', 'deep')).toEqual({ c: [[[[[[[[[[]]]]]]]]]] });
  expect((await on('c', 'mine.flush')).ret).toBe(true);
});

it('a mine of more than 1 MiB is refused, and what was kept stays', async () => {
  const big = (name: string) =>
    on(
      'a',
      'mine.send',
      name,
      'mine_function=cmd.run',
      'cmd=head -c 600000 /dev/zero | tr "\\0" x',
      'python_shell=True',
    );
  expect((await big('big1')).ret).toBe(true);
  const { ret, stderr } = await big('big2');
  expect(ret).toBeUndefined();
  expect(stderr).toContain('at most 1000 items and 1 MiB');
  expect(await read('b', '*', 'big2')).toEqual({});
  expect(await read('b', '*', 'test.echo')).toEqual({ a: 'from a' });
});
