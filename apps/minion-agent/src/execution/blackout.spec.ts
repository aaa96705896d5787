/** Rules of a minion that is put on hold. */
import { aRequest } from '@natrium/testing';
import type { CheckedGrant } from '@natrium/flow';
import type { Request, ValueMap } from '@natrium/model';
import { Execution } from './execution.js';

const HELD = /^ERROR executing 'test\.ping': Minion in blackout mode\./;

function minion(grains: ValueMap, pillar: ValueMap = {}) {
  const refreshed: string[] = [];
  const data = {
    currentGrains: () => grains,
    currentPillar: () => pillar,
    grains: async () => refreshed.push('grains, and pillar with them') > 0,
    pillar: async () => true,
  };
  const execution = new Execution({ id: 'web1', data, config: {}, master: undefined });
  const job = (...funs: string[]) =>
    execution.run({ ...(aRequest(0) as Request), funs, args: funs.map(() => []) }, {
      jid: '20260101000000000000',
      caller: { kind: 'account', name: 'root' },
    } as unknown as CheckedGrant);
  return { execution, job, refreshed };
}

it.each<[string, ValueMap, ValueMap]>([
  ['its pillar', {}, { minion_blackout: true }],
  ['its grains', { minion_blackout: true }, {}],
])('by %s, it runs no job', async (_place, grains, pillar) => {
  const { job } = minion(grains, pillar);
  expect(await job('test.ping')).toMatchObject({
    ret: expect.stringMatching(HELD) as string,
    retcode: 1,
    success: false,
  });
});

it.each<[string, ValueMap]>([
  ['nothing says so', {}],
  ['it is said to be over', { minion_blackout: false }],
  ['the whitelist names the function', { minion_blackout: true, minion_blackout_whitelist: ['test.ping'] }],
])('it runs a job where %s', async (_why, pillar) => {
  expect(await minion({}, pillar).job('test.ping')).toMatchObject({ ret: true, retcode: 0, success: true });
});

it('a whitelist counts for its own place, and one that is no list names nothing', async () => {
  const allowed = { minion_blackout: true, minion_blackout_whitelist: ['test.ping'] };
  expect((await minion({ minion_blackout: true }, allowed).job('test.ping')).ret).toMatch(HELD);
  expect((await minion({}, { ...allowed, minion_blackout_whitelist: 'test.ping' }).job('test.ping')).ret).toMatch(HELD);
});

it('each function of a job is held back on its own, and saltutil.refresh_pillar, which brings it back, runs', async () => {
  const { job, refreshed } = minion({}, { minion_blackout: true });
  const { ret } = await job('saltutil.refresh_pillar', 'test.ping');
  expect(ret).toEqual({ 'saltutil.refresh_pillar': true, 'test.ping': expect.stringMatching(HELD) as string });
  expect(refreshed).toHaveLength(1);
});

it('the administrator of the host calls what he likes', async () => {
  const { execution } = minion({}, { minion_blackout: true });
  expect((await execution.call('test.ping', [], '20260101000000000000')).ret).toBe(true);
});
