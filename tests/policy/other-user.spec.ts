/** Where `user` names another account than the first key has, root may do nothing: the log says so, and what to do. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { aCluster, type TestCluster } from '@natrium/testing/cluster';
import { connectMaster } from '../../apps/cli/src/link/connect-master.js';
import { apps } from '../hostile/apps.js';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await aCluster({ apps, minions: [], master: '' });
});
afterAll(() => cluster.stop());

const OTHER = 'user is keeper, and the key that natriumctl init made (account.key) is that of root: ';

/** What the acl-service has said of it since it was asked last. */
function told(): readonly string[] {
  return cluster.aclLog.all.splice(0).flatMap(({ msg }) => (msg.startsWith('user is ') ? [msg] : []));
}

it('is told at each start and when the file changes, until it is mended', async () => {
  const configDir = join(cluster.folder, 'master');
  const startWith = async (text: string) => {
    await cluster.restartAcl(() => {
      writeFileSync(join(configDir, 'master'), text);
    });
    const link = await connectMaster({ configDir });
    if (!link.ok) throw new Error(link.error.sentence);
    const listed = await link.value.keys.list();
    await link.value.close();
    return [listed.ok || listed.error.code, ...told()];
  };
  expect(told()).toEqual([]);
  const said: unknown = expect.stringContaining(`${OTHER}root may do nothing in this cluster; set user: root again`);
  expect(await startWith('user: keeper\n')).toEqual(['not_permitted', said]);
  expect(await startWith('user: root\n')).toEqual([true]);
  writeFileSync(join(configDir, 'master'), 'user: keeper\n');
  let later: readonly string[] = [];
  await until('it is told', () => (later = told()).length > 0);
  expect(later).toEqual([said]);
});
