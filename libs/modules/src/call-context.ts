/**
 * What an execution module is called with, and the ports through which it reaches the rest of the agent.
 *
 * The agent and `natrium-call` make one for each call. Modules know no broker, no keys and no gate: `publish` asks its
 * port, and whether that is allowed is not decided here.
 */
import type { Principal, ValueMap } from '@natrium/model';
import type { EventPort } from './event-port.js';
import type { Library } from './loader/declaration.js';
import type { BaseContext } from './loader/registry.js';
import type { GrainsFile } from './grains/grains-file.js';
import type { MasterPort } from './master-port.js';
import type { MinePort } from './mine-port.js';
import type { MeansSelf } from './means-self.js';

export interface CallContext extends BaseContext {
  /** This minion's id. */
  readonly id: string;
  readonly jid: string;
  readonly grains: () => ValueMap;
  /** What the master keeps for this minion alone. Absent without a connection to a master. */
  readonly pillar?: (() => ValueMap) | undefined;
  /** The minion's configuration, without secrets. */
  readonly config: ValueMap;
  /** Of this minion's public key. Absent where the agent is not asked. */
  readonly fingerprint?: string | undefined;
  /** Of the cluster's first root key. Absent where the agent is not asked. */
  readonly masterFingerprint?: string | undefined;
  /** Who asked; absent when the host's own administrator did (`natrium-call --local`). */
  readonly caller?: Principal | undefined;
  /** The job's target and returner as asked, for functions that want to know. */
  readonly job?: JobFacts | undefined;
  /** Absent without a connection to a master. */
  readonly master?: MasterPort | undefined;
  /** Where grains that are set on this host are kept. */
  readonly grainsFile?: Pick<GrainsFile, 'read' | 'write'> | undefined;
  /** Absent without a connection to a master. */
  readonly mine?: MinePort | undefined;
  /** Absent without a connection to a master. */
  readonly refresh?: RefreshPort | undefined;
  /** Absent without a running agent. */
  readonly identity?: IdentityPort | undefined;
  /** Names of the returners that this minion has. */
  readonly returners?: (() => readonly string[]) | undefined;
  /** The runners that this version brings, to be read about: what a master has besides, no minion knows. */
  readonly runners?: (() => Promise<Library>) | undefined;
  /** Reads a target as the master does. */
  readonly targets?: (() => Promise<MeansSelf>) | undefined;
  /** Absent without a running agent. */
  readonly events?: EventPort | undefined;
  /** Absent where nothing else runs (`natrium-call`). */
  readonly jobs?: RunningJobs | undefined;
}

/** Brings what this host told the master, and what it was given, up to date. Each resolves when it is done: false, it failed. */
export interface RefreshPort {
  /** Gathers the grains anew and sends them; new pillar comes back. */
  grains(): Promise<boolean>;
  pillar(): Promise<boolean>;
}

/** This minion's own key. */
export interface IdentityPort {
  /** A new identity, signed by the one it has and accepted by that. @returns Its fingerprint. @throws {ExecutionError} When it is refused. */
  renew(): Promise<string>;
}

export interface JobFacts {
  readonly tgt: string | readonly string[];
  readonly tgtType: string;
  readonly ret: string;
}

/** A job that this minion works on now. */
export interface RunningJob {
  readonly jid: string;
  readonly fun: string | readonly string[];
  readonly arg: ValueMap[string];
  readonly tgt: string | readonly string[];
  readonly tgtType: string;
  readonly ret: string;
  /** Name of who asked. */
  readonly user: string;
  readonly pid: number;
}

export interface RunningJobs {
  running(): readonly RunningJob[];
  /** Sends a signal to whatever works on that job. */
  send(jid: string, signal: number): SignalSent;
}

/**
 * What a signal came to. `nobody`: no such job runs. `processes`: those groups got it. `waiting`: the job runs in the agent
 * and was ended there. `agent`: it runs in the agent, where that signal means nothing.
 */
export type SignalSent =
  { readonly to: 'nobody' | 'waiting' | 'agent' } | { readonly to: 'processes'; readonly pids: readonly number[] };
