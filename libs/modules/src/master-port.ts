/**
 * What the `publish` module needs of the gateway. The answers come pushed: the port resolves when the last expected
 * minion has returned, or when the time is up. Nothing here polls.
 */
import { type Absent, Float, type JobReturn, type Refusal, type Value } from '@natrium/model';

export interface PublishAsk {
  readonly tgt: string | readonly string[];
  readonly fun: string;
  readonly arg: readonly Value[];
  readonly tgtType: string;
  readonly returner: string;
  /** As the caller gave it; `secondsOf` reads it. */
  readonly timeout: Value;
  readonly form: 'clean' | 'full';
  /** Positions of arguments that must not be read as YAML again. */
  readonly noParse: readonly Value[];
}

/** What one minion returned to a peer; a `success` that is not given follows from the retcode. */
export type PeerReturn = Pick<JobReturn, 'ret' | 'retcode' | 'out'> & { readonly success?: boolean };

export type PublishAnswer =
  | { readonly type: 'refused'; readonly refusal: Refusal }
  | {
      readonly type: 'answered';
      readonly jid?: string;
      readonly returns: Readonly<Record<string, PeerReturn>>;
      /** Minions that were asked and have not returned. Both empty: the target matched nobody. */
      readonly absent: readonly Absent[];
      /** Ids of a list target that no accepted minion has. */
      readonly missing?: readonly string[];
    }
  /** The gateway itself did not answer in time. */
  | { readonly type: 'timeout' };

export interface RunnerAsk {
  readonly fun: string;
  readonly arg: readonly Value[];
  readonly timeout: Value;
  readonly noParse: readonly Value[];
}

export type RunnerAnswer =
  | { readonly type: 'refused'; readonly refusal: Refusal }
  | {
      readonly type: 'answered';
      readonly ret: Value;
      readonly retcode: number;
      readonly out?: string;
    }
  | { readonly type: 'timeout' };

export interface MasterPort {
  /** Addresses of the configured masters (`nats://host:port`), for `via_master`. */
  readonly masters?: readonly string[];
  publish(ask: PublishAsk): Promise<PublishAnswer>;
  runner(ask: RunnerAsk): Promise<RunnerAnswer>;
}

const DEFAULT_SECONDS = 5;
/** No request may have more: a day. */
const MOST_SECONDS = 86_400;

/** Seconds that an asked timeout means, a day at most; Salt's default when it is not a number. */
export function secondsOf(timeout: Value): number {
  const plain = timeout instanceof Float ? timeout.value : timeout;
  const seconds = typeof plain === 'string' && plain.trim() !== '' ? Number(plain) : plain;
  const isOne = typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0;
  return isOne ? Math.min(seconds, MOST_SECONDS) : DEFAULT_SECONDS;
}
