/** What an idle cluster holds in memory: each process is printed, and the promised sums hold. */
import { until } from '@natrium/testing';
import { NO_PEER } from '../support/examples.js';
import { printFigure } from '../support/figures.js';
import type { ProcessInfo } from '../support/processes.js';
import { useCluster } from '../support/use-cluster.js';

const MINIONS = ['a', 'b', 'c'];
const SERVICES = ['acl-service', 'master-gateway', 'runner-service', 'nats-server'];
const AGENT_MB = 70;
const MASTER_MB = 350;

const cluster = useCluster({ minions: MINIONS, masterConfig: NO_PEER });
let idle: readonly ProcessInfo[];

const rssOf = (wanted: string) => idle.find(({ name }) => name === wanted)?.rss ?? Number.NaN;
const sumOfServices = () => SERVICES.reduce((total, name) => total + rssOf(name), 0);
const isWithin = () => MINIONS.every((id) => rssOf(id) <= AGENT_MB) && sumOfServices() <= MASTER_MB;

/** A process that has just started has not come to rest: it is looked at again, and what does not hold then is told below. */
beforeAll(async () => {
  const look = () => {
    idle = cluster().processes();
    return isWithin();
  };
  await until('all has come to rest', look).catch(() => undefined);
  for (const { name, rss } of idle) printFigure(`memory of ${name}, idle`, rss, 'MB');
});

it.each(MINIONS)(`agent %s holds at most ${AGENT_MB} MB`, (id) => {
  expect(rssOf(id)).toBeLessThanOrEqual(AGENT_MB);
});

it(`the services and the broker hold at most ${MASTER_MB} MB together`, () => {
  const sum = sumOfServices();
  printFigure('memory of the services and the broker together, idle', sum, 'MB');
  expect(sum).toBeLessThanOrEqual(MASTER_MB);
});
