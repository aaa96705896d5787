/**
 * The wheel and the runners that read, through a real gateway, acl-service and runner-service: each allow has its deny, and a
 * deny also proves that no key was changed.
 */
import type { MasterClient } from '@natrium/client';
import { encode, fingerprint } from '@natrium/envelope';
import { isMap } from '@natrium/model';
import { MINIONS, PILLAR, run, told, wheel, World } from './world.js';

const ACCEPTED = {
  local: ['master.pub'],
  minions: [...MINIONS],
  minions_pre: [],
  minions_rejected: [],
  minions_denied: [],
};

let world: World;
let keeper: MasterClient;
let reader: MasterClient;
let nobody: MasterClient;

beforeAll(async () => {
  world = await World.start();
  keeper = (await world.account('keeper')).client;
  reader = (await world.account('reader')).client;
  nobody = (await world.account('nobody')).client;
});
afterAll(() => world.stop());

describe('the wheel', () => {
  it('lists keys and connected minions, and shows settings without access lists', async () => {
    for (const client of [world.root, keeper, reader])
      expect(await told(wheel(client, 'key.list_all'))).toEqual(ACCEPTED);
    expect(await told(wheel(keeper, 'minions.connected'))).toEqual(MINIONS);
    const values = await told(wheel(keeper, 'config.values'));
    expect(values).toMatchObject({ nodegroups: { web: 'web*' }, timeout: 5, saltgui_hide_jobs: ['test.ping'] });
    expect(await told(wheel(keeper, 'config.values', { __kwarg__: true, match: '*' }))).toEqual(values);
    expect(Object.keys(values ?? {})).not.toEqual(expect.arrayContaining(['publisher_acl']));
    expect(Object.keys(values ?? {})).not.toEqual(expect.arrayContaining(['nats']));
    expect(await told(wheel(keeper, 'key.finger', 'web1'))).toEqual({
      minions: { web1: expect.stringMatching(/^[0-9a-f]{2}(:[0-9a-f]{2})+$/) as string },
    });
  });

  it('tells what minions pin, and keys by name, to those with an entry for it only', async () => {
    const pinned = fingerprint(world.cluster.keys.chain()[0]);
    expect(await told(wheel(keeper, 'key.finger_master'))).toEqual({ local: { 'master.pub': pinned } });
    expect(await told(wheel(keeper, 'key.name_match', 'web*'))).toEqual({ minions: ['web1'] });
    for (const fun of ['key.finger_master', 'key.master_key_str', 'key.name_match'])
      expect(await told(wheel(reader, fun, ...(fun === 'key.name_match' ? ['web*'] : [])))).toBe('not_permitted');
  });

  it('is open to those with an entry for it only, and changes no key for others', async () => {
    for (const client of [reader, nobody]) {
      for (const fun of ['key.delete', 'key.reject']) {
        expect(await told(wheel(client, fun, 'web1', { __kwarg__: true, include_accepted: true }))).toBe(
          'not_permitted',
        );
      }
    }
    expect(await told(wheel(nobody, 'key.list_all'))).toBe('not_permitted');
    expect(await told(wheel(keeper, 'key.nothing'))).toBe('unknown_runner');
    expect(await told(wheel(keeper, 'no.such'))).toBe('unknown_runner');
    expect(await told(wheel(world.root, 'key.list_all'))).toEqual(ACCEPTED);
  });

  it('does not let a runner pass for a wheel function, nor the other way round', async () => {
    expect(await told(run(keeper, 'key.list_all'))).toBe('unknown_runner');
    expect(await told(wheel(keeper, 'manage.up'))).toBe('unknown_runner');
  });

  it('rejects and accepts a key, and the audit names it', async () => {
    const rejected = wheel(keeper, 'key.reject', 'db1', { __kwarg__: true, include_accepted: true });
    expect(await told(rejected)).toEqual({ minions_rejected: ['db1'] });
    expect(await told(wheel(keeper, 'key.accept', 'db1'))).toEqual({ minions_rejected: ['db1'] });
    const accepted = wheel(keeper, 'key.accept', 'db1', { __kwarg__: true, include_rejected: true });
    expect(await told(accepted)).toEqual({ minions: ['db1'] });
    expect(await world.keysInAudit(2)).toEqual(['reject db1', 'accept db1']);
  });

  it('is recorded with as much of its arguments as fits, and with the size of all', async () => {
    const args = ['db1', 'x'.repeat(1 << 20)];
    expect(await told(wheel(keeper, 'key.nothing', ...args))).toBe('unknown_runner');
    const recorded = { args: ['db1'], args_cut: { bytes: encode(args).length } };
    expect(await world.detailInAudit('key.nothing', 'args_cut')).toMatchObject(recorded);
  });
});

describe('caches', () => {
  it('tell the grains of accepted minions to whoever may run the runner', async () => {
    expect(await told(run(keeper, 'cache.grains', 'web*'))).toMatchObject({ web1: { id: 'web1' } });
    expect(await told(run(nobody, 'cache.grains'))).toBe('not_permitted');
  });

  it('say what is wrong with a target that cannot be used, and find nobody for one that nobody meets', async () => {
    const target = (tgt: string) => run(world.root, 'cache.grains', tgt, { __kwarg__: true, tgt_type: 'compound' });
    expect(await told(target('web1 and ('))).toContain("the compound target 'web1 and (' cannot be used");
    expect(await told(target('nobody'))).toEqual({});
  });

  it('tell pillar to an account with full access only', async () => {
    expect(await told(run(world.root, 'cache.pillar', 'web1'))).toEqual({ web1: { ...PILLAR } });
    const denied = await run(keeper, 'cache.pillar', 'web1');
    expect(denied).toMatchObject({ ok: true, value: { success: false } });
    expect(denied.ok && denied.value.ret).toContain('full access only');
  });

  it('leave no pillar for those who read jobs: of cache.pillar neither its event nor what is kept holds any', async () => {
    const ended = async (fun: string) => {
      const answer = await run(world.root, fun, 'web1');
      if (!answer.ok) throw new Error(answer.error.sentence);
      const { jid, ret } = answer.value;
      const seen = await told(run(reader, 'jobs.lookup_jid', jid));
      return { ret, seen: isMap(seen) ? Object.values(seen) : [] };
    };
    const pillar = await ended('cache.pillar');
    expect(pillar.ret).toEqual({ web1: { ...PILLAR } });
    expect(pillar.seen).toMatchObject([
      { fun: 'runner.cache.pillar', return: expect.stringMatching(/^not kept/) as string },
    ]);
    expect(JSON.stringify(pillar.seen)).not.toContain(PILLAR.password);
    const grains = await ended('cache.grains');
    expect(grains.seen).toMatchObject([{ fun: 'runner.cache.grains', return: grains.ret }]);
  });
});

describe('surveys', () => {
  it('publish what reads, and nothing else', async () => {
    expect(await told(run(keeper, 'survey.hash', '*', 'test.ping'))).toEqual([{ pool: [...MINIONS], result: 'True' }]);
    const mark = world.cluster.mark();
    const refused = await run(keeper, 'survey.hash', '*', 'cmd.run', mark.command);
    expect(refused).toMatchObject({ ok: true, value: { success: false, retcode: 1 } });
    expect(mark.count()).toBe(0);
  });
});
