/** Rules of how `up` lets its own minions in: by the key on disk, and it says so where the cluster does not want that key. */
import type { KeyEntry } from '../ports.js';
import { ScriptedMaster } from '../testing/scripted-master.js';
import { letIn } from './letting-in.js';

const OWN: Readonly<Record<string, string>> = { web1: 'aa:01', web2: 'aa:02' };
const key = (id: string, fingerprint: string, state: KeyEntry['state']): KeyEntry => ({ id, fingerprint, state });

async function lettingIn(keys: readonly KeyEntry[], isWhole = true) {
  const master = new ScriptedMaster({ keys });
  let now = 0;
  const own = {
    ids: Object.keys(OWN),
    fingerOf: (id: string) => OWN[id],
    master: '/srv/our cluster/master',
    now: () => (now += 1),
    waitMs: 2,
    isWhole: () => isWhole,
  };
  const said = await letIn(master, own).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  return { said, accepted: master.decided.flatMap(({ pairs }) => pairs.map(({ id }) => id)) };
}

it('accepts those that wait, and leaves those that are in as they are', async () => {
  const { said, accepted } = await lettingIn([key('web1', 'aa:01', 'pending'), key('web2', 'aa:02', 'accepted')]);
  expect({ said, accepted }).toEqual({ said: undefined, accepted: ['web1'] });
});

it('accepts no other key of the same name, and names who did not ask', async () => {
  const { said, accepted } = await lettingIn([key('web1', 'bb:01', 'pending'), key('web2', 'aa:02', 'pending')]);
  expect({ said, accepted }).toEqual({ said: 'these minions did not ask to join: web1', accepted: ['web2'] });
});

it.each(['denied', 'rejected'] as const)('ends with a sentence when a key is %s, and accepts none', async (state) => {
  const others = [key('web1', 'bb:01', 'accepted'), key('web2', 'aa:02', 'pending')];
  const mend = "start without it, then natrium-key -c '/srv/our cluster/master' -d web1";
  expect(await lettingIn([key('web1', 'aa:01', state), ...others])).toEqual({
    said: `the key of minion web1 is ${state}; ${mend}`,
    accepted: [],
  });
});

it('waits for nobody when a process has ended, which is not started again: those that are there are let in before', async () => {
  const said = 'these minions did not ask to join: web1: a process of the cluster has ended';
  expect(await lettingIn([key('web2', 'aa:02', 'pending')], false)).toEqual({ said, accepted: ['web2'] });
});
