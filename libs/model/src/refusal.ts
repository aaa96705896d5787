/**
 * Every reason to refuse. An authenticated caller is told what concerns them in one sentence; a stranger hears nothing;
 * the audit sees all. The code is for programs, the sentence for people; neither ever holds a secret or another's rule.
 */
import { err, type Result } from './result.js';

export const REFUSAL_CODES = [
  // the gate
  'not_permitted',
  'recursive_publish',
  'blacklisted',
  'no_peer_policy',
  'invalid_target',
  'empty_function',
  'bad_request',
  'acl_unavailable',
  'no_runner_available',
  'store_unavailable',
  'unknown_runner',
  'slow_down',
  // the caller's proof
  'unknown_caller',
  'not_accepted',
  'bad_signature',
  'bad_credential',
  'request_expired',
  'request_from_future',
  // a grant at the gateway or the minion
  'grant_sender',
  'grant_signature',
  'grant_kind',
  'grant_digest',
  'grant_jid',
  'grant_expired',
  'grant_not_for_me',
  'record_unwritable',
  'record_incomplete',
  'agent_stopping',
  'already_ran',
  // keys
  'key_unknown',
  'key_mismatch',
  'key_state',
  'join_full',
  'not_built_yet',
  'master_unreachable',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** Codes that say nothing of what was asked, only that nobody could decide on it or write it down now: asked again later, it may be granted. */
export const NOT_NOW: readonly RefusalCode[] = ['acl_unavailable', 'store_unavailable', 'slow_down'];

export interface Refusal {
  readonly code: RefusalCode;
  readonly sentence: string;
}

export function refusal(code: RefusalCode, sentence: string): Refusal {
  return { code, sentence };
}

export function refuse(code: RefusalCode, sentence: string): Result<never, Refusal> {
  return err(refusal(code, sentence));
}
