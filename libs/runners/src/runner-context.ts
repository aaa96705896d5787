/**
 * What a runner is called with, and the port through which it reaches the cluster.
 *
 * A runner has its own principal: what it publishes is decided again by the acl-service, under `runner_grants`. The port
 * is implemented by the runner service; nothing here knows a broker, keys or the gate.
 */
import type { Principal, Value, ValueMap } from '@natrium/model';
import type { BaseContext, PublishAnswer, PublishAsk } from '@natrium/modules';

export interface RunnerContext extends BaseContext {
  /** Who asked for the run. */
  readonly caller: Principal;
  readonly jid: string;
  /** How many the run may take in all; then it is ended. */
  readonly seconds: number;
  readonly master: RunnerMasterPort;
  readonly host: RunnerHost;
}

/** What a runner knows of where it runs. */
export interface RunnerHost {
  /** Names the host in answers; no minion's id. */
  readonly id: string;
  /** The master's settings that may be shown, as they were at the start. */
  readonly config: ValueMap;
  /** The same as the files say now; where they cannot be used, as they said last. */
  readonly configNow: () => ValueMap;
  /** Names of what the master's files say for Salt and what has no use here, at the start. */
  readonly unused: readonly string[];
  readonly grains: () => ValueMap;
}

/** Ids that a target means; everyone when it is not given. */
export interface InventoryTarget {
  readonly tgt: string | readonly string[];
  readonly tgtType: string;
}

export interface RunnerMasterPort {
  publish(ask: PublishAsk): Promise<PublishAnswer>;
  /** Accepted minions, of a target or all. */
  inventory(target?: InventoryTarget): Promise<{ readonly accepted: readonly string[] }>;
  /** What the authority holds of the accepted minions of a target, by id. It decides itself who is told of pillar. */
  cached(what: 'grains' | 'pillar', target: InventoryTarget): Promise<ValueMap>;
  /**
   * Minions that answer a presence question now. Who is not connected is known at once.
   *
   * @param silentSeconds For how long one that is connected may say nothing; a second at least.
   */
  connected(silentSeconds?: number): Promise<readonly string[]>;
  readonly jobs: JobsPort;
  /** Resolves when the event is stored on the master's bus. @throws {ExecutionError} When it is refused. */
  fire(tag: string, data: ValueMap): Promise<void>;
}

/** Which jobs are wanted: those that all of it names. Whoever keeps the jobs looks for them (`isWanted`). */
export interface JobFilter {
  /** Bounds are 20-digit jids, both included: jids rise with time. */
  readonly from?: string;
  readonly to?: string;
  /** Globs of functions, one of which has to match. */
  readonly functions?: readonly string[];
  /** Globs of targets, one of which has to match. */
  readonly targets?: readonly string[];
  /** One of these keys and its value suffices. */
  readonly metadata?: ValueMap;
  /** Leaves out the jobs of this function alone. */
  readonly without?: string;
  /** So many at most, the latest: above 0. */
  readonly latest?: number;
}

/** What is wanted of one job; everything where nothing is said. */
export interface JobPart {
  /** Globs: these minions and what they returned. */
  readonly minions?: readonly string[];
  /** false: of each return only whether it is true. */
  readonly values?: boolean;
  /** true: as many of the returns as one message carries; otherwise more than that is refused. */
  readonly partial?: boolean;
}

export interface JobSummary {
  readonly jid: string;
  /** A list when several functions were asked. */
  readonly fun: string | readonly string[];
  readonly arg: readonly Value[];
  readonly tgt: string | readonly string[];
  readonly tgtType: string;
  /** Name of who asked. */
  readonly user: string;
  /** What the caller attached to it (`--metadata`). */
  readonly metadata?: ValueMap;
}

export interface JobResult {
  readonly ret: Value;
  readonly retcode: number;
  readonly success: boolean;
  readonly out?: string;
}

export interface JobDetail extends JobSummary {
  /** Who was asked. */
  readonly minions: readonly string[];
  readonly returns: Readonly<Record<string, JobResult>>;
  /** Who has returned what one message did not carry beside the others. */
  readonly left?: readonly string[];
}

export interface ActiveJob extends JobSummary {
  /** Minions that still work on it, and in which process: a number, 0 where none is told. */
  readonly running: readonly { readonly id: string; readonly pid: Value }[];
  readonly returned: readonly string[];
}

/** Only the jobs that the caller may read. */
export interface JobsPort {
  /** Without arguments that are long. @throws {ExecutionError} When they are too many for one answer. */
  list(filter: JobFilter): Promise<readonly JobSummary[]>;
  /** @throws {ExecutionError} When what was returned is too much for one answer. */
  get(jid: string, part?: JobPart): Promise<JobDetail | undefined>;
  active(): Promise<readonly ActiveJob[]>;
}
