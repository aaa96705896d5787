/** What the subcommands of `natriumctl` are done with: each is loaded when it is asked for. */
import type { Documented } from '../common/program.js';
import type {
  AccountsOptions,
  AuditOptions,
  ConnectMaster,
  DoctorOptions,
  EventOptions,
  FingerprintOptions,
  InitOptions,
  Io,
  JobEars,
  SwarmOptions,
  TokenOptions,
  UpOptions,
} from '../ports.js';

export interface CtlPorts {
  readonly connectMaster: ConnectMaster;
  readonly up: (options: UpOptions, io: Io) => Promise<number>;
  readonly init: (options: InitOptions, io: Io) => Promise<number>;
  readonly fingerprint: (options: FingerprintOptions, io: Io) => Promise<number>;
  readonly doctor: (options: DoctorOptions, io: Io) => Promise<number>;
  readonly audit: (options: AuditOptions, io: Io) => Promise<number>;
  readonly event: (options: EventOptions, io: Io) => Promise<number>;
  readonly accounts: (options: AccountsOptions, io: Io) => Promise<number>;
  readonly token: (options: TokenOptions, io: Io) => Promise<number>;
  /** undefined: this account cannot hear of this job on this host. */
  readonly hearJob: (configDir: string, jid: string) => Promise<JobEars | undefined>;
  readonly swarm: (options: SwarmOptions, io: Io) => Promise<number>;
  /** Every command of Natrium, for completion and the manual pages. */
  readonly documented: (io: Io) => Promise<readonly Documented[]>;
}
