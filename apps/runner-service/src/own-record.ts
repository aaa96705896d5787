/**
 * A record that one alone can create: whoever has it, and nobody else, does what it stands for. No two of them are alike.
 *
 * A write without an acknowledgement may have been made: the next try then finds the record, and by its bytes whose it is.
 */
import { isStoreFailure, type Store, StreamRefused } from '@natrium/bus';
import { equalBytes } from '@natrium/envelope';

const TRIES = 3;
const AGAIN_MS = 500;

/** Whether there is a further try after this one, which the store did not take or say whether it took; it may wait first. */
export type Again = (cause: unknown, attempt: number) => Promise<boolean>;

/**
 * Whether the record under this key is this one.
 *
 * @throws {Error} When nobody knows; it may be there by then.
 */
export async function createOwn(
  store: Pick<Store, 'create' | 'get'>,
  key: string,
  record: Uint8Array,
  again: Again,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if ((await store.create(key, record)) !== undefined) return true;
      const found = attempt === 1 ? undefined : await store.get(key);
      return found !== undefined && equalBytes(found.value, record);
    } catch (cause) {
      if (!isStoreFailure(cause) || !(await again(cause, attempt))) throw cause;
    }
  }
}

/** For whom somebody waits. A refusal is certain, there is no record of this try: whoever asked decides what comes of it. */
export function soon(pause: (ms: number) => Promise<unknown>): Again {
  return async (cause, attempt) => {
    if (attempt === TRIES || (cause instanceof StreamRefused && !cause.mayBeWritten)) return false;
    await pause(AGAIN_MS);
    return true;
  };
}
