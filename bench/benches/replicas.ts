/** The load of `peer-in-flight` on one replica of each service and on several, each in a cluster of its own. */
import type { Bench, Run } from '../bench.js';
import { type Measured, usualAndSlow } from '../figures.js';
import { loaded } from './in-flight.js';

interface Setting {
  readonly name: string;
  readonly folder: string;
  /** The service of which there are several, and how many. */
  readonly scaled?: readonly [service: string, replicas: number];
}

const SETTINGS: readonly Setting[] = [
  { name: 'one of each', folder: 'one' },
  { name: '3 acl-service', folder: 'acl', scaled: ['acl-service', 3] },
  { name: '2 master-gateway', folder: 'gateway', scaled: ['master-gateway', 2] },
];
/** Whose replicas are counted. */
const SCALED = ['acl-service', 'master-gateway'];
const MS = 1000;

export const replicas: Bench = {
  name: 'replicas',
  about: `the load of peer-in-flight with ${SETTINGS.map(({ name }) => name).join(', with ')}`,
  measure: async (run) => {
    const figures: Measured[] = [];
    for (const setting of SETTINGS) figures.push(...(await measureOf(run, setting)));
    return figures;
  },
};

async function measureOf(run: Run, { name, folder, scaled }: Setting): Promise<readonly Measured[]> {
  const words = scaled === undefined ? [] : ['--replicas', `${scaled[0]}=${String(scaled[1])}`];
  const cluster = await run.startCluster(`replicas-${folder}`, { words });
  try {
    const { ours, plain, spent } = await loaded(run, cluster, scaled?.[1]);
    return [
      { metric: `${name}: rate`, unit: '1/s', value: ours.perSecond, raw: plain.perSecond },
      ...usualAndSlow(`${name}: `, ours.times, plain.times),
      ...SCALED.map((service) => ({
        metric: `${name}: what ${service} would do with a processor for each`,
        unit: '1/s',
        value: capacityOf(spent.filter((one) => one.name.startsWith(service)).map(({ ms }) => ms)),
      })),
    ];
  } finally {
    await cluster.stop();
  }
}

/** Calls a second at which the replicas of a service, all of them busy, have no time left: by calculation, for machines with more processors. */
function capacityOf(msPerCall: readonly number[]): number {
  return (msPerCall.length * MS) / msPerCall.reduce((sum, ms) => sum + ms, 0);
}
