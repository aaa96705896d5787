/** Builders for the tests of runners: a small cluster at the end of the port. */
import type { Value, ValueMap } from '@natrium/model';
import type { Outcome, PublishAnswer, PublishAsk } from '@natrium/modules';
import { builtinRunners, isWanted, runnerRegistry } from '../index.js';
import type {
  ActiveJob,
  InventoryTarget,
  JobDetail,
  JobFilter,
  JobPart,
  JobsPort,
  RunnerContext,
  RunnerMasterPort,
} from '../runner-context.js';

export interface Cluster {
  readonly accepted: readonly string[];
  readonly connected: readonly string[];
  readonly jobs: readonly JobDetail[];
  readonly active: readonly ActiveJob[];
  readonly answer: PublishAnswer;
  readonly cached: ValueMap;
}

const EMPTY: Cluster = { accepted: [], connected: [], jobs: [], active: [], answer: { type: 'timeout' }, cached: {} };

export class FakeMaster implements RunnerMasterPort {
  readonly published: PublishAsk[] = [];
  readonly filters: JobFilter[] = [];
  readonly parts: (JobPart | undefined)[] = [];
  readonly targets: (InventoryTarget | undefined)[] = [];
  readonly asked: (readonly ['grains' | 'pillar', InventoryTarget])[] = [];
  readonly fired: (readonly [string, ValueMap])[] = [];
  /** For how long those who are connected might be silent. */
  readonly waits: (number | undefined)[] = [];
  readonly jobs: JobsPort;

  constructor(private readonly cluster: Cluster) {
    this.jobs = {
      list: (filter) => {
        this.filters.push(filter);
        const wanted = cluster.jobs.toSorted((a, b) => (a.jid < b.jid ? -1 : 1)).filter((job) => isWanted(job, filter));
        return Promise.resolve(wanted.slice(-(filter.latest ?? wanted.length)));
      },
      get: (jid, part) => {
        this.parts.push(part);
        return Promise.resolve(cluster.jobs.find((job) => job.jid === jid));
      },
      active: () => Promise.resolve(cluster.active),
    };
  }

  publish(ask: PublishAsk): Promise<PublishAnswer> {
    this.published.push(ask);
    return Promise.resolve(this.cluster.answer);
  }

  inventory(target?: InventoryTarget): Promise<{ readonly accepted: readonly string[] }> {
    this.targets.push(target);
    return Promise.resolve({ accepted: this.cluster.accepted });
  }

  cached(what: 'grains' | 'pillar', target: InventoryTarget): Promise<ValueMap> {
    this.asked.push([what, target]);
    return Promise.resolve(this.cluster.cached);
  }

  fire(tag: string, data: ValueMap): Promise<void> {
    this.fired.push([tag, data]);
    return Promise.resolve();
  }

  connected(silentSeconds?: number): Promise<readonly string[]> {
    this.waits.push(silentSeconds);
    return Promise.resolve(this.cluster.connected);
  }
}

export function aMaster(cluster: Partial<Cluster> = {}): FakeMaster {
  return new FakeMaster({ ...EMPTY, ...cluster });
}

/** Runs a built-in runner for `web1`. @param config Of the master's settings, those that are others than usual. @param seconds That the run may take. */
export function run(
  fun: string,
  sent: readonly Value[] = [],
  master = aMaster(),
  config: ValueMap = {},
  seconds = 60,
): Promise<Outcome> {
  const context: RunnerContext = {
    caller: { kind: 'minion', name: 'web1' },
    jid: '20260101000000000001',
    seconds,
    master,
    host: {
      id: 'master',
      config: { timeout: 5, gather_job_timeout: 10, unset: null, nodegroups: { web: 'web*' }, ...config },
      configNow: () => ({}),
      unused: [],
      grains: () => ({ os: 'Debian' }),
    },
    signal: new AbortController().signal,
  };
  return runnerRegistry(builtinRunners).execute(fun, sent, context);
}
