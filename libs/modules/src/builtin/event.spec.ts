/** `event.send`: what it tells of the minion; what becomes of an event is in the agent's own tests. */
import type { Value } from '@natrium/model';
import { call, named } from '../testing/call-context.js';

async function sent(options: Readonly<Record<string, Value>>): Promise<Value | undefined> {
  let told: Value | undefined;
  const events = {
    fire: () => Promise.resolve(),
    fireMaster: (data: Value) => ((told = data), Promise.resolve(true)),
  };
  expect((await call('event.send', ['my/tag', named(options)], { events })).ret).toBe(true);
  return told;
}

it('event.send tells the grains, pillar keys and variables that were asked for and are there', async () => {
  expect(await sent({ with_grains: ['os', 'nope'], with_pillar: 'role' })).toEqual({
    grains: { os: 'Debian' },
    pillar: { role: 'web' },
  });
});

it.each(['with_grains', 'with_pillar', 'with_env'])('event.send %s finds nothing that every map has', async (which) => {
  const key = which === 'with_env' ? 'environ' : which.slice('with_'.length);
  expect(await sent({ [which]: ['constructor', 'toString', '__proto__'] })).toEqual({ [key]: {} });
});

it('event.send: further keys override what was asked for, and data overrides both', async () => {
  const data = { os: 'mine', grains: 'mine', saltenv: 'mine' };
  expect(
    await sent({ data, with_grains: ['os'], with_pillar: ['role'], with_env_opts: true, pillar: 'key', os: 'key' }),
  ).toEqual({
    ...data,
    pillar: 'key',
    pillarenv: null,
  });
});

it.each<[Value, object]>([
  [true, { saltenv: 'base', pillarenv: null }],
  [false, {}],
])('event.send with_env_opts=%s tells %j', async (which, told) => {
  expect(await sent({ with_env_opts: which })).toEqual(told);
});

it('event.send has no parameters of the state of its name: they are keys of the data', async () => {
  expect(await sent({ show_changed: false, show_sls: 1 })).toEqual({ show_changed: false, show_sls: 1 });
});

it.each(['event.fire_master', 'event.send'])(
  '%s that neither the disk nor the master takes is refused, and no success',
  async (fun) => {
    const args = fun === 'event.send' ? ['my/tag'] : [{}, 'my/tag'];
    const port = (kept: boolean) => ({ fire: () => Promise.resolve(), fireMaster: () => Promise.resolve(kept) });
    const { ret, retcode, refusal } = await call(fun, args, { events: port(false) });
    expect([retcode, refusal?.code, refusal?.sentence]).toEqual([1, 'store_unavailable', ret]);
    expect(ret).toMatch(/^neither this host's disk nor the master took the event/);
    expect(await call(fun, args, { events: port(true) })).toMatchObject({ ret: true, retcode: 0 });
  },
);
