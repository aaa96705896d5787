/** A master that answers from a script and remembers what it was asked. */
import { err, type JobNews, ok, type Refusal, refusal, type Result } from '@natrium/model';
import type { CommandDefaults } from '../common/command-defaults.js';
import type {
  ConnectMaster,
  JobTicket,
  KeyEntry,
  KeyPair,
  KeyVerb,
  MasterLink,
  MinionList,
  MasterOptions,
  PreviewAsk,
  JobAsk,
  RunAnswer,
  RunAsk,
} from '../ports.js';

/** A step of a job: news, or something that happens in between. */
export type Step = JobNews | (() => void | Promise<void>);

export interface Script {
  readonly job?: readonly Step[];
  /** One after the other, where a command publishes several. */
  readonly jobs?: readonly (readonly Step[])[];
  readonly ticket?: Result<JobTicket, Refusal>;
  readonly preview?: Result<readonly string[], Refusal>;
  readonly run?: Result<RunAnswer, Refusal>;
  /** A run that does not end: called when it was asked for, with what hears its jid. */
  readonly endless?: (onJid: (jid: string) => void) => void;
  /** One after the other; the last one stays. */
  readonly runs?: readonly RunAnswer[];
  readonly keys?: readonly KeyEntry[];
  readonly local?: Readonly<Record<string, string>>;
  /** Ids whose key changed between the list and the word. */
  readonly changed?: readonly string[];
  readonly keysRefused?: Refusal;
  readonly inventory?: Result<MinionList, Refusal>;
  /** What its configuration says; Natrium's own defaults where it says nothing. */
  readonly defaults?: Partial<CommandDefaults>;
}

const UNSCRIPTED = refusal('bad_request', 'this is not in the script');

export class ScriptedMaster implements MasterLink {
  readonly published: JobAsk[] = [];
  /** What was signed once to be asked for in batches. */
  readonly signed: JobAsk[] = [];
  readonly ran: RunAsk[] = [];
  readonly previewed: PreviewAsk[] = [];
  readonly decided: { readonly verb: KeyVerb; readonly pairs: readonly KeyPair[] }[] = [];
  readonly connected: MasterOptions[] = [];
  closed = 0;
  readonly defaults: CommandDefaults;
  readonly #script: Script;

  constructor(script: Script = {}) {
    this.#script = script;
    const silent = { summary: false, showJid: false, showTimeout: true };
    const batch = { batchSafeLimit: 0, batchSafeSize: '8' };
    this.defaults = { timeout: 5, runnerTimeout: 60, ...silent, ...batch, ...script.defaults };
  }

  readonly connect: ConnectMaster = (options) => {
    this.connected.push(options);
    return Promise.resolve(ok(this));
  };

  async *publish(ask: JobAsk): AsyncIterable<JobNews> {
    this.published.push(ask);
    const { job = [], jobs } = this.#script;
    for (const step of jobs === undefined ? job : (jobs[this.published.length - 1] ?? [])) {
      if (typeof step === 'function') await step();
      else yield step;
    }
  }

  inBatches(ask: JobAsk): (ids: readonly string[]) => AsyncIterable<JobNews> {
    this.signed.push(ask);
    return (tgt) => this.publish({ ...ask, tgt, tgtType: 'list' });
  }

  publishAsync(ask: JobAsk): Promise<Result<JobTicket, Refusal>> {
    this.published.push(ask);
    return Promise.resolve(this.#script.ticket ?? err(UNSCRIPTED));
  }

  preview(ask: PreviewAsk): Promise<Result<readonly string[], Refusal>> {
    this.previewed.push(ask);
    return Promise.resolve(this.#script.preview ?? err(UNSCRIPTED));
  }

  run(ask: RunAsk, onJid?: (jid: string) => void): Promise<Result<RunAnswer, Refusal>> {
    this.ran.push(ask);
    const { runs = [], run = err(UNSCRIPTED), endless } = this.#script;
    if (endless !== undefined) {
      endless(onJid ?? (() => undefined));
      return new Promise(() => undefined);
    }
    const next = runs[Math.min(this.ran.length, runs.length) - 1];
    return Promise.resolve(next === undefined ? run : ok(next));
  }

  readonly keys = {
    list: () => {
      const { keys = [], local = {}, keysRefused } = this.#script;
      return Promise.resolve(keysRefused === undefined ? ok({ entries: keys, local }) : err(keysRefused));
    },
    accept: (pairs: readonly KeyPair[]) => this.#decide('accept', pairs),
    reject: (pairs: readonly KeyPair[]) => this.#decide('reject', pairs),
    remove: (pairs: readonly KeyPair[]) => this.#decide('remove', pairs),
  };

  inventory(): Promise<Result<MinionList, Refusal>> {
    return Promise.resolve(this.#script.inventory ?? err(UNSCRIPTED));
  }

  close(): Promise<void> {
    this.closed += 1;
    return Promise.resolve();
  }

  #decide(verb: KeyVerb, pairs: readonly KeyPair[]): Promise<Result<readonly string[], Refusal>> {
    this.decided.push({ verb, pairs });
    const ids = pairs.map(({ id }) => id);
    return Promise.resolve(ok(ids.filter((id) => this.#script.changed?.includes(id) !== true)));
  }
}
