/** The part of the master's configuration that every service needs, in the units that the code counts in. */
import type { BrokerTls } from '@natrium/bus';
import {
  brokerTls,
  brokerTlsProblem,
  type LoadedConfig,
  loadMasterConfig,
  type MasterConfig,
  pinoLevel,
  problemSentence,
  replicasOf,
} from '@natrium/config';

export interface ServiceConfig {
  readonly servers: readonly string[];
  readonly tls: BrokerTls | undefined;
  readonly brokerAuth: 'none' | 'jwt';
  readonly cluster: string;
  readonly pkiDir: string;
  readonly sockDir: string;
  readonly cacheDir: string;
  readonly epochMs: number;
  readonly overlapMs: number;
  readonly skewMs: number;
  readonly replicas: number;
  readonly keepJobsMs: number;
  readonly grantTimeoutMs: number;
  readonly gatherTimeoutMs: number;
  readonly runnerTimeoutMs: number;
  /** Of each caller. */
  readonly requests: { readonly rate: number; readonly burst: number };
  readonly logLevel: string;
  /** Where traces go, '' for nowhere, and which part of those that begin here. */
  readonly trace: { readonly endpoint: string; readonly ratio: number };
  readonly reports: readonly string[];
  /** The whole file, for the service that reads more of it. */
  readonly loaded: LoadedConfig<MasterConfig>;
}

/** Every problem of the files in one error, a line each. */
export class ConfigInvalid extends Error {
  override readonly name = 'ConfigInvalid';
  readonly code = 'ERR_CONFIG_INVALID';
}

/** @throws {ConfigInvalid} */
export function readServiceConfig(dir: string): ServiceConfig {
  const loaded = loadMasterConfig(dir);
  if (!loaded.ok)
    throw new ConfigInvalid(`the configuration has problems\n${loaded.error.map(problemSentence).join('\n')}`);
  const { config, reports } = loaded.value;
  const unusable = brokerTlsProblem(config);
  if (unusable !== undefined) throw new ConfigInvalid(problemSentence(unusable));
  return {
    servers: config.nats,
    tls: brokerTls(config),
    brokerAuth: config.broker_auth,
    cluster: config.cluster,
    pkiDir: config.pki_dir,
    sockDir: config.sock_dir,
    cacheDir: config.cachedir,
    epochMs: config.epoch_hours * 3_600_000,
    overlapMs: config.epoch_overlap * 1000,
    skewMs: config.clock_skew * 1000,
    replicas: replicasOf(config),
    keepJobsMs: config.keep_jobs_seconds * 1000,
    grantTimeoutMs: config.grant_timeout * 1000,
    gatherTimeoutMs: config.gather_job_timeout * 1000,
    runnerTimeoutMs: config.runner_timeout * 1000,
    requests: { rate: config.request_rate, burst: config.request_burst },
    logLevel: pinoLevel(config.log_level),
    trace: { endpoint: config.trace_endpoint, ratio: config.trace_ratio },
    reports,
    loaded: loaded.value,
  };
}
