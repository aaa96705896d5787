/**
 * What the command lines need of the world: the terminal, the way to the master, the way to the agent on this host.
 *
 * The commands know only these. `link/` carries them out over the broker, `up/` and `init/` start and found a cluster,
 * specs script them; nothing here knows NATS, keys or files.
 */
import type { BrokerTrouble } from '@natrium/bus';
import type { JobAsk, RunAnswer, RunAsk as MasterRunAsk, TargetAsk } from '@natrium/client';
import type { JobNews, Refusal, Result, Value, ValueMap } from '@natrium/model';
import type { CommandDefaults } from './common/command-defaults.js';

export type { JobAsk, RunAnswer };

/** What ends a process: Ctrl-C, a service manager or `timeout`, a terminal that is closed. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The process as a command sees it. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  readonly outIsTty: boolean;
  readonly errIsTty: boolean;
  /** Width of the terminal that stderr is on. */
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Interpreter and platform, for `--versions-report`. */
  readonly runtime: string;
  /** Calls back on Ctrl-C instead of ending the process, until the returned function is called. */
  onInterrupt(callback: () => void): () => void;
  /** Likewise on each signal that ends it; a command uses one of the two. */
  onEnd(callback: (signal: EndSignal) => void): () => void;
  /** Reads one line from the operator; undefined at the end of input or on Ctrl-C. */
  ask(question: string): Promise<string | undefined>;
  /** Reads one line from the operator, asked on stderr; a secret does not show. From a pipe: its next line. */
  prompt(question: string, how: { readonly secret: boolean }): Promise<string | undefined>;
  /** What was on the command line no longer shows in the list of processes. */
  hideArguments(): void;
  /** The token that was kept, and where. @throws {Error} When others may read it. */
  readonly tokenFile: { readonly path: string; read(): string | undefined; write(token: string): void };
  /** All of stdin, for `--args-stdin`. */
  input(): Promise<string>;
  wait(ms: number): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
  /** Milliseconds on a clock that never goes back. */
  now(): number;
  /** Calls back every `ms` milliseconds until the returned function is called; never keeps the process alive. */
  every(ms: number, callback: () => void): () => void;
  /** A writer to the file for `--out-file`; empties it first unless `append`. @throws When it can't be opened. */
  openFile(path: string, append: boolean): (text: string) => void;
}

/** Why there is no link; `exit` is the command's exit code (docs/exit-codes.md). */
export interface ConnectProblem extends BrokerTrouble {
  readonly exit: number;
}

export interface PreviewAsk extends TargetAsk {
  /** What is going to run, where that is known: the grant is asked for just that. */
  readonly funs?: readonly string[];
  readonly args?: readonly (readonly Value[])[];
  /** Only those who are connected now. */
  readonly connected?: boolean;
}

export interface JobTicket {
  readonly jid: string;
  readonly minions: readonly string[];
  readonly missing: readonly string[];
}

export interface RunAsk extends MasterRunAsk {
  /** Answer as soon as the run is under way: then `ret` means nothing. */
  readonly async?: boolean;
}

export type KeyState = 'accepted' | 'pending' | 'rejected' | 'denied';

export interface KeyEntry {
  readonly id: string;
  readonly fingerprint: string;
  readonly state: KeyState;
  /** The public key as text, for `natrium-key -p`. */
  readonly publicKey?: string;
}

export interface KeyList {
  readonly entries: readonly KeyEntry[];
  /** The cluster's own fingerprints by name, for `natrium-key -F`. */
  readonly local: Readonly<Record<string, string>>;
}

/** A key as the operator saw it: the id alone would let another key slip in between the look and the word. */
export interface KeyPair {
  readonly id: string;
  readonly fingerprint: string;
}

export type KeyVerb = 'accept' | 'reject' | 'remove';

/** Each verb answers the ids that it was carried out for; one that no longer is as it was seen is left out. */
export type KeyPort = {
  readonly list: () => Promise<Result<KeyList, Refusal>>;
} & Readonly<Record<KeyVerb, (entries: readonly KeyPair[]) => Promise<Result<readonly string[], Refusal>>>>;

export interface MinionList {
  readonly accepted: readonly string[];
  /** By id, `{grains}`. */
  readonly cache: ValueMap;
}

export interface MasterLink {
  readonly defaults: CommandDefaults;
  /** `refused`, or `started`, each `return`, `end`. Ending without `end` means that the master was lost. */
  publish(ask: JobAsk): AsyncIterable<JobNews>;
  /** One signed request, of which each call asks for these minions only; every batch is decided anew. */
  inBatches(ask: JobAsk): (ids: readonly string[]) => AsyncIterable<JobNews>;
  /** Starts a job and doesn't wait; no minion: nothing was sent, and the jid is empty. */
  publishAsync(ask: JobAsk): Promise<Result<JobTicket, Refusal>>;
  /** The ids that a target means now; nothing is sent to them. */
  preview(ask: PreviewAsk): Promise<Result<readonly string[], Refusal>>;
  /** @param onJid Hears under which jid it runs, when that is told before its end. */
  run(ask: RunAsk, onJid?: (jid: string) => void): Promise<Result<RunAnswer, Refusal>>;
  readonly keys: KeyPort;
  /** Accepted ids with their grains; an id without an entry in `cache` has never reported any. */
  inventory(): Promise<Result<MinionList, Refusal>>;
  close(): Promise<void>;
}

/** Comes in as an external user, not with the key of this account. */
export type LoginOptions =
  | { readonly eauth: string; readonly token: string }
  | {
      readonly eauth: string;
      readonly username: string;
      readonly secret: string;
      /** Takes the token, which then stays, and tells whether it could; without it the token ends with the link. */
      readonly keep?: (token: string) => boolean;
    };

export interface MasterOptions {
  readonly configDir: string;
  readonly login?: LoginOptions;
  /** Told when the broker is away for longer than a moment, and when it is back: whoever waits is to know for what. */
  readonly tell?: (sentence: string) => void;
}
export type ConnectMaster = (options: MasterOptions) => Promise<Result<MasterLink, ConnectProblem>>;

/** The answer to `natrium-call`. */
export interface CallOutcome {
  readonly ret: Value;
  readonly retcode: number;
  readonly success: boolean;
  readonly out?: string;
  /** Sentences for stderr, such as who did not answer a `publish.publish`. */
  readonly notes: readonly string[];
  /** A sentence for each returner that did not take it. */
  readonly untaken?: readonly string[];
  /** Set: nothing ran, and `ret` means nothing. */
  readonly refusal?: Refusal;
  /** Set: the function failed, and `ret` only says so; `usage` where its arguments were wrong. */
  readonly problem?: { readonly sentence: string; readonly usage?: string };
}

export interface CallOptions {
  /** Seconds; the function's own rule when missing. */
  readonly timeout?: number;
  /** Names with commas: who else takes what the function returned. */
  readonly returner?: string;
}

/** The agent of this host: through its socket, with its identity, or `local` without any master. */
export interface AgentLink {
  /** An unknown function: `ret` is `'x.y' is not available.` and `retcode` is not 0. */
  call(fun: string, args: readonly Value[], options: CallOptions): Promise<CallOutcome>;
  /** Ends what is not answered yet, with the programs that it has started, and waits until it has put away what it used. */
  close(): Promise<void>;
}

export interface AgentOptions {
  readonly configDir: string;
  /** No master: what needs one says so. */
  readonly local: boolean;
  readonly id?: string;
  readonly master?: string;
  readonly moduleDirs?: readonly string[];
}
export type ConnectAgent = (options: AgentOptions) => Promise<Result<AgentLink, ConnectProblem>>;

export interface UpOptions {
  /** Folder that holds the whole cluster. */
  readonly state: string;
  readonly minions: readonly string[];
  /** How many processes of a service, by its name. */
  readonly replicas: Readonly<Record<string, number>>;
  readonly natsPort?: number;
  readonly httpPort?: number;
  readonly masterConfig?: string;
  /** `jwt` when missing. */
  readonly brokerAuth?: BrokerAuth;
  readonly tls?: boolean;
}

/** How the broker tells its users apart. */
export type BrokerAuth = 'none' | 'jwt';

export interface InitOptions {
  readonly configDir: string;
  readonly user?: string;
  /** `jwt` when missing. */
  readonly brokerAuth?: BrokerAuth;
  /** Hosts of the broker, for a certificate of it and a CA; none: no TLS is made. */
  readonly brokerTls?: readonly string[];
}

export interface FingerprintOptions {
  readonly configDir: string;
}

export interface AuditOptions {
  readonly configDir: string;
  readonly verb: 'tail' | 'verify' | 'export' | 'archive';
  /** What to write or to verify; without it the cluster itself is verified. */
  readonly file: string | undefined;
  /** A log of an acl-service, for the signed heads in it. */
  readonly heads: string | undefined;
  readonly follow: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
  /** How many records `tail` begins with. */
  readonly last: number;
}

export interface AccountsOptions {
  readonly configDir: string;
  readonly dryRun: boolean;
  readonly replace: boolean;
  /** An account that is not found has gone, also where accounts come from a directory. */
  readonly removeMissing: boolean;
}

export interface DoctorOptions {
  readonly configDir: string;
  readonly json: boolean;
  /** Also what is right. */
  readonly all: boolean;
}

export interface TokenOptions {
  readonly configDir: string;
  readonly verb: 'list' | 'revoke';
  readonly json: boolean;
  /** The beginning of the token's id. */
  readonly id?: string;
  readonly user?: string;
  readonly eauth?: string;
}

export interface EventOptions {
  readonly configDir: string;
  readonly verb: 'tail' | 'replay' | 'fire';
  /** Tags to hear; of `fire` the tag and its data. */
  readonly words: readonly string[];
  readonly match: string | undefined;
  /** `start`, a cursor, or a time. */
  readonly from: string | undefined;
  /** Holds the cursor of the last event that was shown; it goes on from there. */
  readonly stateFile: string | undefined;
  readonly pretty: boolean;
  /** Ends after so many events. */
  readonly count: number | undefined;
  readonly socket: string | undefined;
}

/** Tells that a job has a return that was not there before. */
export interface JobEars {
  /** Resolves when one was stored since this was last asked for, however many, or when there is nothing more to hear. */
  heard(): Promise<void>;
  /** Nothing more is told. */
  readonly isGone: boolean;
  close(): void;
}

export interface SwarmOptions {
  readonly configDir: string;
  /** 0: only forget. */
  readonly minions: number;
  readonly prefix: string;
  readonly processes?: number;
  readonly connections?: number;
  readonly answerDelayMs: number;
  readonly forget: boolean;
}

/** What `natriumctl` starts; each answers the exit code. */
