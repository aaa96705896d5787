/** A service that is told to stop while its broker is away does all that it has to do before it ends. */
import { aCluster } from '@natrium/testing/cluster';
import { apps } from '../hostile/apps.js';

it('ends in order, though nothing that is under way can be sent', async () => {
  const cluster = await aCluster({ apps, minions: [], master: '' });
  await cluster.broker.stop();
  await expect(cluster.stop()).resolves.toBeUndefined();
});
