/** What carries out a request of an account to the authority: each group of functions has one, in the file of what they are about. */
import type { RefusalCode, Refusal, Result, Value } from '@natrium/model';

/** What became of one key of a request. */
export interface KeyOutcome {
  readonly change: string;
  readonly id: string;
  readonly fingerprint: string;
  /** undefined: it was changed; `failed`: nobody knows. */
  readonly code: RefusalCode | 'failed' | undefined;
}

/** As the audit names some keys of a request. @param complete Whether all that was asked was done. */
export function namedIn(some: readonly KeyOutcome[], complete: boolean) {
  return {
    keys: some.flatMap(({ code, ...key }) => (code === undefined ? [key] : [])),
    refused: some.flatMap(({ code, ...key }) => (code === undefined ? [] : [{ ...key, code }])),
    complete,
  };
}

/** Carries out the functions of one name before the dot. @param note Hears of each key that one request of many may change. */
export type AdminHandler = (
  fun: string,
  args: readonly Value[],
  note: (key: KeyOutcome) => void,
) => Promise<Result<Value, Refusal>>;
