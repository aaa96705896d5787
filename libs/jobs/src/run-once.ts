/**
 * Which requests a minion has run: the decisions of the run-once record, without its file.
 *
 * The record is keyed by the request's digest, not the jid, and kept until the request's own end. A record that may be
 * incomplete (lost, corrupt, or after a power loss) refuses every request issued before the agent's first signed time
 * plus the skew; a fresh identity starts with an empty record that is complete.
 *
 * Spec: spec/envelope.md#durability.
 */
export type RunState = 'started' | 'finished';

export type Admission =
  | 'run'
  /** It is running now: its return will come. */
  | 'running'
  /** It ran and returned. */
  | 'finished'
  /** It was running when the agent died: outcome unknown, never run again. */
  | 'interrupted'
  /** The record may lack it. */
  | 'record_incomplete';

interface Run {
  state: RunState;
  readonly until: number;
  /** Started by this process and not before it. */
  readonly here: boolean;
}

export class RunOnce {
  readonly #runs = new Map<string, Run>();
  #refuseIssuedBefore = 0;
  /** The latest end of any request that was forgotten. A request that ends no later may be one of those: the clock may have been set back since. */
  #forgottenUntil = -Infinity;

  /** What a record on disk said, when the agent starts. */
  restore(digest: string, state: RunState, until: number): void {
    this.#runs.set(digest, { state, until, here: false });
  }

  /** The record may be incomplete: refuse what was issued before `ms`. That time never falls again. */
  refuseIssuedBefore(ms: number): void {
    this.#refuseIssuedBefore = Math.max(this.#refuseIssuedBefore, ms);
  }

  /** Requests that end no later may be among those that were forgotten: of a record on disk, or of this one. That time never falls. */
  forgotUntil(ms: number): void {
    this.#forgottenUntil = Math.max(this.#forgottenUntil, ms);
  }

  /** 0 while nothing was forgotten. */
  get forgottenUntil(): number {
    return Math.max(this.#forgottenUntil, 0);
  }

  /** @param until The request's own end. */
  admit(digest: string, issued: number, until: number): Admission {
    const run = this.#runs.get(digest);
    if (run === undefined)
      return issued < this.#refuseIssuedBefore || until <= this.#forgottenUntil ? 'record_incomplete' : 'run';
    if (run.state === 'finished') return 'finished';
    return run.here ? 'running' : 'interrupted';
  }

  started(digest: string, until: number): void {
    this.#runs.set(digest, { state: 'started', until, here: true });
  }

  finished(digest: string): void {
    const run = this.#runs.get(digest);
    if (run !== undefined) run.state = 'finished';
  }

  /** Forgets requests whose own end has passed: no party accepts them any more. */
  expire(nowMs: number): void {
    for (const [digest, { until, state, here }] of this.#runs) {
      if (until >= nowMs || (state === 'started' && here)) continue;
      this.#runs.delete(digest);
      this.forgotUntil(until);
    }
  }

  /** What a record that is written anew must hold. */
  entries(): readonly { readonly digest: string; readonly state: RunState; readonly until: number }[] {
    return [...this.#runs].map(([digest, { state, until }]) => ({ digest, state, until }));
  }

  get size(): number {
    return this.#runs.size;
  }
}
