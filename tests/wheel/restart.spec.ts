/** Services of which there is one, started anew: who asks meanwhile waits for it, and hears soon when none comes. */
import type { RunAnswer } from '@natrium/client';
import type { Refusal, Result, Value } from '@natrium/model';
import { run, told, World } from './world.js';

type Away = (meanwhile: () => unknown) => Promise<void>;

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => {
  await world.stop();
});

const ask = (): Promise<Result<RunAnswer, Refusal>> => run(world.root, 'test.arg', 'waited');

async function askedWhile(away: Away): Promise<Value> {
  let asked: ReturnType<typeof ask> | undefined;
  await away(() => {
    asked = ask();
  });
  return told(asked!);
}

describe.each<readonly [string, Away, string]>([
  ['acl-service', (meanwhile) => world.cluster.restartAcl(meanwhile), 'acl_unavailable'],
  ['runner-service', (meanwhile) => world.restart('runner', meanwhile), 'no_runner_available'],
  ['master-gateway', (meanwhile) => world.restart('gateway', meanwhile), 'master_unreachable'],
])('while the only %s is away', (_name, away, code) => {
  it('a run waits for it', async () => {
    expect(await askedWhile(away)).toMatchObject({ args: ['waited'] });
  });

  it('a run for which none comes is refused', async () => {
    await away(async () => {
      expect(await told(ask())).toBe(code);
    });
    expect(await told(ask())).toMatchObject({ args: ['waited'] });
  });
});
