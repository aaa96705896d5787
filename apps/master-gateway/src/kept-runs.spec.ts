/** Rules of what runners answered: kept before it is told, and found by its jid alone. */
import type { Ran, RunStart } from '@natrium/flow';
import { jidOf, type ValueMap } from '@natrium/model';
import type { records } from '@natrium/wire';
import { announcingRuns, endedRun } from './kept-runs.js';

const NOW = 1_795_000_000_000;
const JID = jidOf(NOW * 1000);
const START = { jid: JID } as unknown as RunStart;
const RAN = {} as Ran;
const END = { fun: 'runner.manage.up', jid: JID, user: 'alice', fun_args: [1], return: ['a'], success: true };

async function announced(end: ValueMap, storing: Promise<void>) {
  const stored: records.StoredReturn[] = [];
  const told: (string | ValueMap)[] = [];
  const announce = announcingRuns({
    cache: {
      storeReturn: (one) => {
        stored.push(one);
        return storing;
      },
    },
    events: {
      runStarted: () => told.push('started'),
      endOf: () => end,
      runEnded: (_, data) => told.push(data),
    },
    now: () => NOW,
    log: { error: () => told.push('problem') },
  });
  announce(START);
  announce(START, RAN);
  const before = [...told];
  await new Promise(setImmediate);
  return { stored, before, told };
}

const find = (stored: readonly records.StoredReturn[]) =>
  endedRun({ returnsOf: ({ jid }) => Promise.resolve(stored.filter((one) => one.jid === jid)) }, JID);

it('it is kept before it is told, and found with all that its event says', async () => {
  const { stored, before, told } = await announced(END, Promise.resolve());
  expect(before).toEqual(['started']);
  expect(told).toEqual(['started', END]);
  const id = stored[0]?.id ?? '';
  expect(id).toMatch(/_master$/);
  expect(await find(stored)).toMatchObject({
    jid: JID,
    Function: 'runner.manage.up',
    Arguments: [1],
    User: 'alice',
    Target: id,
    Minions: [id],
    Result: { [id]: { return: { ...END, _stamp: '2026-11-18T11:06:40.000000' }, retcode: 0, success: true } },
  });
});

it('one that failed is found as failed', async () => {
  const { stored } = await announced({ ...END, return: 'no', success: false }, Promise.resolve());
  expect(await find(stored)).toMatchObject({ Result: { [stored[0]?.id ?? '']: { retcode: 1, success: false } } });
});

it('it is told also where it could not be kept', async () => {
  const { told } = await announced(END, Promise.reject(new Error('the broker is away')));
  expect(told).toEqual(['started', 'problem', END]);
});

const ofMinion = (id: string, ret: ValueMap): records.StoredReturn => ({
  ...{ jid: JID, id, status: 'done', at: NOW },
  outcome: { ret, retcode: 0, success: true, out: null },
});

it('what minions returned to a job whose record has expired is no runner’s answer', async () => {
  const [web1, salt] = [ofMinion('web1', { os: 'Debian', jid: JID }), ofMinion('salt_master', { os: 'Debian' })];
  expect(await find([web1, salt])).toBeNull();
  const { stored } = await announced(END, Promise.resolve());
  expect(await find([web1, salt, ...stored])).toMatchObject({ Function: END.fun, Minions: [stored[0]?.id] });
});

it('one that another gateway kept is found', async () => {
  expect(await find([ofMinion('gw2.example.com_master', END)])).toMatchObject({ Minions: ['gw2.example.com_master'] });
});

it('none is found where none was', async () => {
  expect(await find([])).toBeNull();
});
