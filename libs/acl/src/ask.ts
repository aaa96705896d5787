/** What is asked of the policy, and what it answers. */
import type { Principal, Refusal, Target, Value } from '@natrium/model';
import type { AccountIdentity } from './account.js';
import type { RuleRef } from './policy.js';

export interface Ask {
  /** Proved by its signature before; never read from a message. */
  readonly principal: Principal;
  /** Of a runner's request: who asked for the run, and who asked for that. For a minion no target of it guesses at pillar either. */
  readonly onBehalfOf?: readonly Principal[];
  /** `job`: functions on minions. `run`: a runner. `wheel`: a function of the master itself. */
  readonly what: 'job' | 'run' | 'wheel';
  readonly funs: readonly string[];
  /** Parsed arguments, exactly those that will be sent, one list for each function; missing ones count as empty. */
  readonly args: readonly (readonly Value[])[];
  /** Only a job has one. */
  readonly target?: Target;
  /** For an account: what its key proved. */
  readonly account?: AccountIdentity;
  /** For an external user or a token. */
  readonly login?: LoginInfo;
  /** The list of a higher master; counts only when the master's own key signed, and grants everything when it is empty. */
  readonly forwarded?: readonly Value[];
}

export interface LoginInfo {
  readonly backend: string;
  readonly groups: readonly string[];
  /** A list that the backend supplied or a token kept; it replaces the file's. */
  readonly ownList?: readonly Value[];
}

/** What finding out whom a target means took, at most, in tests of a plain name on a minion; nothing where it was remembered. */
interface Decided {
  readonly tests?: number;
}

export interface Allowed extends Decided {
  readonly allow: true;
  readonly minions: readonly string[];
  /** Ids that a list names and nobody has. */
  readonly missing: readonly string[];
  /** The rule that allowed the first function; `rules` has one for each. */
  readonly rule: RuleRef;
  readonly rules: readonly RuleRef[];
  /** Why nobody is meant, although the request is authorised; then nothing is published. */
  readonly nobody?: string;
  /** What is wrong with the target itself, so that nobody is meant: whoever decides answers the caller with an error. */
  readonly defect?: string;
}

export interface Refused extends Decided {
  readonly allow: false;
  readonly refusal: Refusal;
  /** The deny rule that decided, for the audit and for whoever explains; never for the caller. */
  readonly rule?: RuleRef;
}

export type Decision = Allowed | Refused;
