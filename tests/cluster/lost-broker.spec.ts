/** A command whose broker goes away while it waits says for what it waits, and when that is there again. */
import { join } from 'node:path';
import { aCluster, type TestCluster } from '@natrium/testing/cluster';
import { connectMaster } from '../../apps/cli/src/link/connect-master.js';
import { apps } from '../hostile/apps.js';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await aCluster({ apps, minions: [], master: '' });
});
afterAll(() => cluster.stop());

it('which broker is away, and why, and nothing while all is well', async () => {
  const told: string[] = [];
  let hear: () => void = () => undefined;
  const isTold = new Promise<void>((resolve) => (hear = resolve));
  const tell = (sentence: string) => {
    told.push(sentence);
    hear();
  };
  const link = await connectMaster({ configDir: join(cluster.folder, 'master'), tell });
  if (!link.ok) throw new Error(link.error.sentence);
  expect([(await link.value.keys.list()).ok, told]).toEqual([true, []]);
  await cluster.broker.stop();
  await isTold;
  const why = `no broker answers at ${cluster.broker.url}`;
  expect(told).toEqual([`the connection to the broker is lost: ${why}; trying on`]);
  await link.value.close();
});
