/**
 * Exit codes of all commands. Salt's where its users' scripts rely on them, stricter where Salt answers 0 to a refusal
 * or to nothing.
 *
 * Spec: docs/exit-codes.md (a spec compares the two).
 */
import type { Refusal, RefusalCode } from '@natrium/model';

export const EXIT = {
  ok: 0,
  /** A minion, runner or function failed, or a minion that was asked did not return. */
  failed: 1,
  /** No minion matched; or the command line, target or request makes no sense. */
  noneMatched: 2,
  usage: 2,
  denied: 13,
  /** No target, no function, or arguments that do not divide among the functions. */
  incomplete: 42,
  notBuilt: 64,
  noFunction: 64,
  /** No master, no agent, or it went away. */
  unavailable: 69,
  /** A defect of the command itself. */
  internal: 70,
  /** This account has no key. */
  noKey: 77,
  /** A configuration that cannot be used, or no cluster in its folder. */
  badConfig: 78,
  /** 128 and the number of the signal. */
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
  /** Whoever read the output stopped: 128 and the number of SIGPIPE. */
  nobodyReads: 141,
  unknownFunction: 255,
} as const;

const NOT_DENIED: Readonly<Partial<Record<RefusalCode, number>>> = {
  acl_unavailable: EXIT.unavailable,
  store_unavailable: EXIT.unavailable,
  no_runner_available: EXIT.unavailable,
  slow_down: EXIT.unavailable,
  record_unwritable: EXIT.unavailable,
  master_unreachable: EXIT.unavailable,
  invalid_target: EXIT.usage,
  empty_function: EXIT.usage,
  bad_request: EXIT.usage,
  unknown_runner: EXIT.failed,
  not_built_yet: EXIT.notBuilt,
};

/** Every refusal is `denied` unless it speaks of the request's form or of a service that is not there. */
export function exitOfRefusal({ code }: Refusal): number {
  return NOT_DENIED[code] ?? EXIT.denied;
}

/** A host keeps the lowest eight bits: 256 would be 0. */
export const HIGHEST_EXIT = 255;

/** The function's own code as a command's, which is never 0 where that is not. */
export function exitOfRetcode(retcode: number): number {
  return retcode === 0 ? EXIT.ok : retcode & HIGHEST_EXIT || HIGHEST_EXIT;
}
