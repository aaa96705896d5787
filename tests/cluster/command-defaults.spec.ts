/** What the master file says of commands holds for them as processes. */
import { useCluster } from '../support/use-cluster.js';

const cluster = useCluster({ minions: ['a'], masterConfig: 'show_jid: True\ncli_summary: True\n' });

it('a job is shown as the master file says', async () => {
  const { code, stdout } = await cluster().natrium('a', 'test.ping');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^jid: \d{20}\na:\n {4}True\n/);
  expect(stdout).toContain('# of minions targeted: 1\n');
});
