/** Runs what was granted: the request's functions and arguments, the grant's caller and jid, and nothing from anywhere else. */
import type { CheckedGrant, Outcome } from '@natrium/flow';
import { fromPlain, type Request, type Value, type ValueMap } from '@natrium/model';
import {
  builtinModules,
  type CallContext,
  type EventPort,
  type ExecutionModule,
  type GrainsFile,
  type IdentityPort,
  executeSeveral,
  type MasterPort,
  type MinePort,
  minionRegistry,
  type Registry,
  type ProcessPort,
  type RunningJob,
} from '@natrium/modules';
import type { HostData } from './host-data.js';
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
  /** What it can run; the built-in modules when missing. */
  readonly registry?: Registry<CallContext>;
}

export class Execution {
  #registry: Registry<CallContext>;
  readonly #jobs = new JobsNow();
  /** Set once there is a way to the master's mine; it runs functions here. */
  mine: MinePort | undefined;
  /** Set once this minion may have another identity. */
  identity: IdentityPort | undefined;
  /** Names of what `--return` may name. */
  returners: (() => readonly string[]) | undefined;

  constructor(private readonly options: ExecutionOptions) {
    this.#registry = options.registry ?? minionRegistry(builtinModules);
  }

  isRunning(jid: string): boolean {
    return this.#jobs.has(jid);
  }

  /** The user's own modules take the places of built-in ones of their names; what runs now is not touched. */
  use(own: readonly ExecutionModule[]): void {
    this.#registry = minionRegistry(builtinModules).with(own);
  }

  async run(request: Request, grant: CheckedGrant): Promise<Outcome> {
    const { funs } = request;
    const args = request.args.map((list) => list.map((arg) => fromPlain(arg)));
    const job = this.#jobs.begin(runningJob(request, grant, args));
    const context: CallContext = {
      ...this.#context(grant.jid, job),
      caller: grant.caller,
      job: { tgt: request.tgt, tgtType: request.tgtType, ret: request.returner },
    };
    try {
      const [fun = ''] = funs;
      const outcome =
        funs.length === 1
          ? await this.#registry.execute(fun, args[0] ?? [], context)
          : await executeSeveral(
              this.#registry,
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
  call(fun: string, args: readonly Value[], jid: string) {
    return this.#registry.execute(fun, args, this.#context(jid, { signal: new AbortController().signal }));
  }

  #context(jid: string, { signal, processes }: Ending): CallContext {
    return {
      id: this.options.id,
      jid,
      grains: this.options.data.currentGrains,
      pillar: this.options.data.currentPillar,
      refresh: this.options.data,
      grainsFile: this.options.grainsFile,
      config: this.options.config,
      fingerprint: this.options.fingerprint,
      masterFingerprint: this.options.masterFingerprint,
      master: this.options.master,
      events: this.options.events,
      jobs: this.#jobs,
      mine: this.mine,
      identity: this.identity,
      returners: this.returners,
      signal,
      processes,
    };
  }
}

interface Ending {
  readonly signal: AbortSignal;
  readonly processes?: ProcessPort;
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
