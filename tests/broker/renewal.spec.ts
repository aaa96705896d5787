/** Users of the broker end every few seconds here: under load no return is lost and none comes twice. With TLS, too. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { claimsIn } from '@natrium/keystore';
import { openMaster } from '../../apps/cli/src/link/open-master.js';
import { systemLogin } from '../support/broker-operator.js';
import { PEER_ALL } from '../support/examples.js';
import { printFigure } from '../support/figures.js';
import { START_MS } from '../support/up-cluster.js';
import { useCluster } from '../support/use-cluster.js';

const MINIONS = ['a', 'b'];
/** Sixteen seconds; renewed after twelve, so that a machine that stalls for three of them is none too late. */
const USER_HOURS = 0.0045;
const LOAD_MS = 30_000;
const AT_ONCE = 4;
/** From one job's start to the next of the same asker, at least: 80 a second together, far inside a caller's budget however fast the machine is. */
const PACE_MS = 50;

const cluster = useCluster({
  minions: MINIONS,
  masterConfig: `${PEER_ALL}broker_user_hours: ${USER_HOURS}\n`,
  tls: true,
});

const ca = () => readFileSync(join(cluster().master, 'pki/broker/tls/ca.crt'), 'utf8');

it('loses no return and doubles none while minions and the caller are renewed', async () => {
  const opened = await openMaster(cluster().master);
  if (!opened.ok) throw new Error(opened.error.sentence);
  const { client, transport } = opened.value;
  const authenticator = await systemLogin(cluster().folder);
  const system = await connect({ servers: cluster().brokerUrl, authenticator, tls: { ca: ca() } });
  const gone: string[] = [];
  system.subscribe('$SYS.ACCOUNT.*.DISCONNECT', { callback: (_, message) => { gone.push(message.json<{ reason: string }>().reason); } }); // prettier-ignore
  await system.flush();
  const first = userOf('a');
  const until = Date.now() + LOAD_MS;
  let jobs = 0;
  const wrong: string[] = [];
  const load = async () => {
    while (Date.now() < until) {
      const paced = pause(PACE_MS);
      const returned: string[] = [];
      const ask = { tgt: '*', tgtType: 'glob', funs: ['test.ping'], args: [[]], timeout: 5, returner: '', returnerOptions: {}, options: {} }; // prettier-ignore
      for await (const news of client.publish(ask)) {
        if (news.type === 'return') returned.push(news.id);
        if (news.type === 'refused') wrong.push(news.refusal.sentence);
        if (news.type === 'end') wrong.push(...news.absent.map(({ id, why }) => `${id} ${why}`));
      }
      jobs += 1;
      if (returned.toSorted().join() !== MINIONS.join()) wrong.push(returned.join());
      await paced;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, load));
  await transport.drain();
  printFigure('jobs to two minions while their users were renewed every 12 s, in 30 s', jobs, 'jobs');
  expect(wrong).toEqual([]);
  expect(jobs).toBeGreaterThan(50);
  expect(userOf('a').issued).toBeGreaterThan(first.issued);
  // Each left by itself, before the broker would have ended it.
  expect(gone.length).toBeGreaterThan(MINIONS.length);
  expect(gone.filter((reason) => reason !== 'Client Closed')).toEqual([]);
  await system.close();
}, START_MS); // prettier-ignore

it('speaks TLS with the CA of the cluster only', async () => {
  await expect(connect({ servers: cluster().brokerUrl, reconnect: false, tls: {} })).rejects.toThrow();
  await expect(connect({ servers: cluster().brokerUrl, reconnect: false, tls: { ca: ca() } })).rejects.toThrow(
    /authorization/i,
  );
});

function userOf(id: string): { readonly issued: number } {
  const claims = claimsIn(readFileSync(join(cluster().minion(id), 'pki/broker-user.jwt'), 'utf8').trim());
  if (claims === undefined) throw new Error(`no user of ${id}`);
  return claims;
}
