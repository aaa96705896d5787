/**
 * What a gateway could do with the grant-run of a runner, which it sees: at the acl-service nothing. The same question of a
 * runner-service is answered.
 */
import { RoleLink, readServiceConfig } from '@natrium/edge';
import type { RoleName } from '@natrium/envelope';
import type { Value } from '@natrium/model';
import { aRequest, type LogLine, LogLines, signedBy } from '@natrium/testing';
import { aCluster, type TestCluster } from '@natrium/testing/cluster';
import { contracts } from '@natrium/wire';
import { join } from 'node:path';
import { apps } from '../hostile/apps.js';

const WEB1 = 'web1.example.com';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await aCluster({ apps, minions: [WEB1], master: '' });
});
afterAll(async () => {
  await cluster.stop();
});

/** What somebody of a role is told with a grant-run that the account's run of `cache.grains` got. */
async function readAs(role: RoleName, what: string): Promise<Value> {
  const { gateway } = cluster;
  const { clock, roles } = gateway.link;
  const fields = { what: 'run', funs: ['cache.grains'], args: [[]], tgt: '', tgtType: 'glob' } as const;
  const { request, ...asked } = signedBy(cluster.account.signing, roles.cluster, aRequest(clock.now(), fields));
  const { grant } = await gateway.askGrant({ request, ...asked });
  if (grant === null) throw new Error('the run was not granted');
  const config = readServiceConfig(join(cluster.folder, 'master'));
  const link = await RoleLink.open({ role, log: apps.logTo(new LogLines().hear), ...config });
  try {
    const body = { what, args: { tgt: WEB1, tgtType: 'glob' }, grantRun: { request, grant } } as const;
    const question = { contract: contracts.read, body, subject: link.subjects.svcAcl('read'), to: () => link.directory.role('acl') }; // prettier-ignore
    const answer = await link.bus.ask(question, contracts.answer, 5000);
    if (!answer.ok) return answer.error;
    return answer.value.body.refusal?.code ?? answer.value.body.result;
  } finally {
    await link.close();
  }
}

it.each(['match', 'grains'])('%s: a runner-service is told, a gateway is turned away', async (what) => {
  expect(await readAs('runner', what)).toMatchObject(what === 'match' ? [WEB1] : { [WEB1]: { id: WEB1 } });
  const isTurnedAway = ({ msg }: LogLine) => msg === 'a message was not opened';
  const before = cluster.aclLog.all.filter(isTurnedAway).length;
  expect(await readAs('gateway', what)).toBe('turned_away');
  expect(cluster.aclLog.all.filter(isTurnedAway).length).toBe(before + 1);
});
