/** What an idle cluster holds in memory: each process is printed, and the promised sums hold. */
import { NO_PEER } from '../support/examples.js';
import { printFigure } from '../support/figures.js';
import type { ProcessInfo } from '../support/processes.js';
import { useCluster } from '../support/use-cluster.js';

const MINIONS = ['a', 'b', 'c'];
const SERVICES = ['acl-service', 'master-gateway', 'runner-service', 'nats-server'];
const AGENT_MB = 70;
const MASTER_MB = 400;

const cluster = useCluster({ minions: MINIONS, masterConfig: NO_PEER });
let idle: readonly ProcessInfo[];

beforeAll(() => {
  idle = cluster().processes();
  for (const { name, rss } of idle) printFigure(`memory of ${name}, idle`, rss, 'MB');
});

const rssOf = (wanted: string) => idle.find(({ name }) => name === wanted)?.rss ?? Number.NaN;

it.each(MINIONS)(`agent %s holds at most ${AGENT_MB} MB`, (id) => {
  expect(rssOf(id)).toBeLessThanOrEqual(AGENT_MB);
});

it(`the services and the broker hold at most ${MASTER_MB} MB together`, () => {
  const sum = SERVICES.reduce((total, name) => total + rssOf(name), 0);
  printFigure('memory of the services and the broker together, idle', sum, 'MB');
  expect(sum).toBeLessThanOrEqual(MASTER_MB);
});
