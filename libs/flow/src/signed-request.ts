/** A request on its way through the gate: the bytes as signed, and what they say. */
import { type Refusal, refusal, type Request, type Signed } from '@natrium/model';

export interface Credential {
  readonly eauth: string;
  readonly username: string;
  readonly secret: string;
  readonly token: string;
}

export interface GrantRun {
  readonly request: Uint8Array;
  readonly grant: Signed;
}

/** The option of a runner's request that names its grant-run: the digest of the grant's bytes, hexadecimal. */
export const GRANT_RUN = 'grant_run';

/** The option of a request whose caller waits, beyond its timeout, for minions that say that they are at work on it. */
export const WAITS = 'wait_running';

/** The option of such a request that says for how many milliseconds a minion that is connected may say nothing of that. */
export const MAY_BE_SILENT = 'silent_ms';
/** Bounds of that, as of `gather_job_timeout` in the master file. */
export const SILENT_MS = { least: 100, most: 3_600_000 } as const;

/** The option of a run that drops keywords which the runner does not know, instead of being refused for them. */
export const KNOWN_KEYWORDS = 'known_keywords';

/** The option of a request whose preview names only minions that are connected now. */
export const CONNECTED = 'connected';

export interface SignedRequest {
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array | null;
  readonly credential: Credential | null;
  readonly grantRun: GrantRun | null;
  /** The sender's identity key; it names nobody, it is only the key to check the signature with. */
  readonly callerKey: Uint8Array | null;
  readonly request: Request;
  /** BLAKE2b-256 of `bytes`, hexadecimal. */
  readonly digest: string;
  /** These of the request's minions only, asked for with the same signed request; missing or null: all of them. */
  readonly batch?: readonly string[] | null;
  /** What its job is created under, hexadecimal: the digest when missing, another for each batch. */
  readonly place?: string;
}

/** Whether another gateway could ask for it again: it has its caller's own signature, and what to check that with. */
export function canBeAskedAgain({ signature, callerKey }: Pick<SignedRequest, 'signature' | 'callerKey'>): boolean {
  return signature !== null && callerKey !== null;
}

/** What its job is created under. */
export function placeOf({ place, digest }: Pick<SignedRequest, 'place' | 'digest'>): string {
  return place ?? digest;
}

/** Any of several functions counts, and every name that begins with `publish`, as Salt's publishing layer has it. */
export function runsPublish(funs: readonly string[]): boolean {
  return funs.some((fun) => fun.trim().startsWith('publish'));
}

/** The refusal of a request that `runsPublish`. The gateway cannot name the caller: only the acl-service can tell who it is. */
export function recursion(fun: string, target: string | readonly string[]): Refusal {
  const whom = typeof target === 'string' ? target : target.join(',');
  return refusal(
    'recursive_publish',
    `this minion may not run '${fun}' on '${whom}': what is published may not publish again`,
  );
}
