/** Rules of what functions find in an agent. */
import { isMap } from '@natrium/model';
import { Execution } from './execution.js';

const data = {
  currentGrains: () => ({ id: 'web1' }),
  currentPillar: () => ({}),
  grains: () => Promise.resolve(true),
  pillar: () => Promise.resolve(true),
};

it('the runners that this version brings are told by every minion, each with its text', async () => {
  const execution = new Execution({ id: 'web1', data, config: {}, master: undefined });
  const ret = async (fun: string) => (await execution.call(fun, [], '1')).ret;
  const names = await ret('sys.list_runner_functions');
  expect(names).toEqual(expect.arrayContaining(['jobs.active', 'manage.up']));
  const docs = await ret('sys.runner_doc');
  expect(Object.keys(isMap(docs) ? docs : {})).toEqual(names);
});
