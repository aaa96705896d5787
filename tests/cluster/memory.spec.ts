/** What an idle cluster holds in memory: each process is printed, and the promised sums hold. */
import { until } from '@natrium/testing';
import { type Memory, memoryBelow } from '../../bench/processes.js';
import { NO_PEER } from '../support/examples.js';
import { printFigure } from '../support/figures.js';
import { useCluster } from '../support/use-cluster.js';

const MINIONS = ['a', 'b', 'c'];
const AGENTS = MINIONS.map((id) => `minion-agent ${id}`);
const SERVICES = ['acl-service', 'master-gateway', 'runner-service', 'nats-server'];
/** An agent uses more of the program of a later Node, which all processes share: what there is more of is not its own. */
const AGENT_MB = limitOf(Number(process.versions.node.split('.')[0]));
const PRIVATE_MB = 25;
const MASTER_MB = 350;

const cluster = useCluster({ minions: MINIONS, masterConfig: NO_PEER });
let idle: readonly Memory[];

function limitOf(node: number): number {
  if (node < 22) return 62;
  return node < 26 ? 70 : 72;
}

const of = (wanted: string) => idle.find(({ name }) => name === wanted) ?? { rss: Number.NaN, private: Number.NaN };
const sumOfServices = () => SERVICES.reduce((total, name) => total + of(name).rss, 0);
const isWithin = () =>
  AGENTS.every((name) => of(name).rss <= AGENT_MB && of(name).private <= PRIVATE_MB) && sumOfServices() <= MASTER_MB;

/** A process that has just started has not come to rest: it is looked at again, and what does not hold then is told below. */
beforeAll(async () => {
  const look = () => {
    idle = memoryBelow(cluster().upPid);
    return isWithin();
  };
  await until('all has come to rest', look).catch(() => undefined);
  for (const one of idle) {
    printFigure(`memory of ${one.name}, idle`, one.rss, 'MB');
    printFigure('of it private', one.private, 'MB');
  }
});

it.each(AGENTS)(`%s holds at most ${AGENT_MB} MB, ${PRIVATE_MB} of them its own`, (name) => {
  expect(of(name).rss).toBeLessThanOrEqual(AGENT_MB);
  expect(of(name).private).toBeLessThanOrEqual(PRIVATE_MB);
});

it(`the services and the broker hold at most ${MASTER_MB} MB together`, () => {
  const sum = sumOfServices();
  printFigure('memory of the services and the broker together, idle', sum, 'MB');
  expect(sum).toBeLessThanOrEqual(MASTER_MB);
});
