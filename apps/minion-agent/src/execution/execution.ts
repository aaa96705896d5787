/** Runs what was granted: the request's functions and arguments, the grant's caller and jid, and nothing from anywhere else. */
import type { CheckedGrant, Outcome } from '@natrium/flow';
import { fromPlain, type Principal, type Request, type Value, type ValueMap } from '@natrium/model';
import {
  builtinModules,
  type CallContext,
  type EventPort,
  type ExecutionModule,
  type GrainsFile,
  type IdentityPort,
  executeSeveral,
  type JobFacts,
  type MasterPort,
  type MinePort,
  minionRegistry,
  type Registry,
  type ProcessPort,
  type RunningJob,
} from '@natrium/modules';
import { heldBack } from './blackout.js';
import type { HostData } from '../host/host-data.js';
import { JobsNow } from './jobs-now.js';

export interface ExecutionOptions {
  readonly id: string;
  readonly data: Pick<HostData, 'currentGrains' | 'currentPillar' | 'grains' | 'pillar'>;
  readonly config: ValueMap;
  readonly master: MasterPort | undefined;
  readonly events?: EventPort | undefined;
  readonly fingerprint?: string;
  readonly grainsFile?: GrainsFile;
  readonly masterFingerprint?: string;
  /** What it can run at first; the built-in modules that load when missing. */
  readonly registry?: Registry<CallContext>;
  /** Whether a built-in module of this name loads; all do when missing. */
  readonly loads?: (module: string) => boolean;
  /** What runs now, also of an agent before this one. */
  readonly jobs?: JobsNow;
}

export class Execution {
  #registry: Registry<CallContext>;
  readonly jobs: JobsNow;
  /** Set once there is a way to the master's mine; it runs functions here. */
  mine: MinePort | undefined;
  /** Set once this minion may have another identity. */
  identity: IdentityPort | undefined;
  /** Names of what `--return` may name. */
  returners: (() => readonly string[]) | undefined;

  constructor(private readonly options: ExecutionOptions) {
    this.#registry = options.registry ?? this.#with([]);
    this.jobs = options.jobs ?? new JobsNow();
  }

  /** What jobs run goes through it: a minion on hold answers in its place. */
  readonly #unlessHeld: Pick<Registry<CallContext>, 'execute'> = {
    execute: async (fun, sent, context) => {
      const held = heldBack(fun, [context.pillar?.() ?? {}, context.grains()]);
      return held ?? this.#registry.execute(fun, sent, context);
    },
  };

  /** The jids of what runs now, in the order in which it began. */
  running(): readonly string[] {
    return this.jobs.running().map(({ jid }) => jid);
  }

  /** The user's own modules take the places of built-in ones of their names; what runs now is not touched. */
  use(own: readonly ExecutionModule[]): void {
    this.#registry = this.#with(own);
  }

  #with(own: readonly ExecutionModule[]): Registry<CallContext> {
    const { loads = () => true } = this.options;
    return minionRegistry(builtinModules.filter(({ name }) => loads(name))).with(own);
  }

  async run(request: Request, grant: CheckedGrant): Promise<Outcome> {
    const { funs } = request;
    const args = request.args.map((list) => list.map((arg) => fromPlain(arg)));
    const job = this.jobs.begin(runningJob(request, grant, args));
    const { tgt, tgtType, returner: ret } = request;
    const context = new AgentContext(this.options, this, job, grant.caller, { tgt, tgtType, ret });
    try {
      const [fun = ''] = funs;
      const outcome =
        funs.length === 1
          ? await this.#unlessHeld.execute(fun, args[0] ?? [], context)
          : await executeSeveral(
              this.#unlessHeld,
              funs.map((name, index) => [name, args[index] ?? []]),
              context,
            );
      const { ret, retcode, success, out } = outcome;
      return { ret, retcode, success, out: out ?? null };
    } finally {
      job.finish();
    }
  }

  /** A call of this host's own administrator, through the agent's socket. */
  call(fun: string, args: readonly Value[], jid: string, signal = new AbortController().signal) {
    return this.within(fun, args, { jid, signal });
  }

  /** A further function of a call: what ends the call ends it too. */
  within(fun: string, args: readonly Value[], call: Call) {
    return this.#registry.execute(fun, args, new AgentContext(this.options, this, call));
  }
}

/** Loaded when they are first asked for. */
const runners = async () => (await import('./own-runners.js')).runnerLibrary();
const targets = async () => (await import('./own-targets.js')).meansSelf;

/** Getters: most functions want little of it, and an object with all of it would cost more to make than they take. */
class AgentContext implements CallContext {
  readonly runners = runners;
  readonly targets = targets;

  constructor(
    private readonly options: ExecutionOptions,
    private readonly execution: Pick<Execution, 'jobs' | 'mine' | 'identity' | 'returners'>,
    private readonly call: Call,
    readonly caller?: Principal,
    readonly job?: JobFacts,
  ) {}

  get id() {
    return this.options.id;
  }

  get jid() {
    return this.call.jid;
  }

  get grains() {
    return this.options.data.currentGrains;
  }

  get pillar() {
    return this.options.data.currentPillar;
  }

  get refresh() {
    return this.options.data;
  }

  get grainsFile() {
    return this.options.grainsFile;
  }

  get config() {
    return this.options.config;
  }

  get fingerprint() {
    return this.options.fingerprint;
  }

  get masterFingerprint() {
    return this.options.masterFingerprint;
  }

  get master() {
    return this.options.master;
  }

  get events() {
    return this.options.events;
  }

  get jobs() {
    return this.execution.jobs;
  }

  get mine() {
    return this.execution.mine;
  }

  get identity() {
    return this.execution.identity;
  }

  get returners() {
    return this.execution.returners;
  }

  get signal() {
    return this.call.signal;
  }

  get isEnded() {
    return this.call.isEnded;
  }

  get processes() {
    return this.call.processes;
  }
}

interface Call {
  readonly jid: string;
  readonly signal: AbortSignal;
  readonly isEnded?: boolean | undefined;
  readonly processes?: ProcessPort | undefined;
}

function runningJob(request: Request, grant: CheckedGrant, args: readonly (readonly Value[])[]): RunningJob {
  const single = request.funs.length === 1;
  return {
    jid: grant.jid,
    fun: single ? (request.funs[0] ?? '') : request.funs,
    arg: single ? (args[0] ?? []) : args,
    tgt: request.tgt,
    tgtType: request.tgtType,
    ret: request.returner,
    user: grant.caller.name,
    pid: process.pid,
  };
}
