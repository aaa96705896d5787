/** Returns of a job that no one message carries, as an operator asks for them. In the fast tests: apps/master-gateway/src/jobs/reads.spec.ts, tests/http/api.spec.ts. */
import { isDeepStrictEqual } from 'node:util';
import type { Value } from '@natrium/model';
import { until } from '@natrium/testing';
import { openMaster, type OpenMaster } from '../../apps/cli/src/link/open-master.js';
import { useCluster } from '../support/use-cluster.js';

const NOWHERE = { returner: '', returnerOptions: {}, options: {} };

const cluster = useCluster({ minions: ['a', 'b', 'c'], masterConfig: '', replicas: { 'master-gateway': 2 } });
let master: OpenMaster;

beforeAll(async () => {
  const opened = await openMaster(cluster().master, { account: { uid: 0, name: 'root', sudoUser: undefined } });
  if (!opened.ok) throw new Error(opened.error.sentence);
  master = opened.value;
});
afterAll(() => master.transport.drain());

it('what was returned to a job and no one message carries is told by minion, and of all whether it is true', async () => {
  // Three of them are more than the 7 MiB that a message carries.
  const large = 'x'.repeat(2_500_000);
  const ask = { tgt: '*', tgtType: 'glob', funs: ['test.echo'], args: [[large]], timeout: 15, ...NOWHERE };
  const jids: string[] = [];
  for await (const news of master.client.publish(ask)) if (news.type === 'started') jids.push(news.jid);
  const [jid = 'none'] = jids;
  const all = { a: true, b: true, c: true };
  // Each look at what was returned reads all of it.
  await until('all is kept', async () => isDeepStrictEqual(await inCache('jobs.exit_success', [jid]), all));
  expect(await inCache('jobs.lookup_jid', [jid])).toContain(
    'too large for one message, which carries 7 MiB: ask for some of',
  );
  const part = { __kwarg__: true, minions: 'b' };
  expect(await inCache('jobs.lookup_jid', [jid, part])).toEqual({ b: large });
  const about = { Function: 'test.echo', Arguments: [expect.stringContaining('[cut: ')], Minions: ['b'] };
  expect(await inCache('jobs.last_run', [])).toContain(`ask for some of the minions of ${jid}`);
  expect(await inCache('jobs.list_job', [jid, part])).toMatchObject(about);
  const { code, stdout } = await cluster().ctl('job', 'follow', jid, '--out', 'jsonl');
  const printed = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Readonly<Record<string, Value>>); // prettier-ignore
  expect(code).toBe(0);
  expect(Object.assign({}, ...printed)).toEqual({ a: large, b: large, c: large });
  expect(printed).toHaveLength(3);
});

async function inCache(fun: string, args: readonly Value[]): Promise<Value> {
  const answer = await master.client.run({ fun, args, timeout: 30 });
  if (!answer.ok) throw new Error(answer.error.sentence);
  return answer.value.ret;
}
