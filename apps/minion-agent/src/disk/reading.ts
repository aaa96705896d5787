/** Reading a file, so that an error says which: the system names it where it cannot be opened, and not where reading fails after that. */
import { codeOf, messageOf } from '@natrium/model';

/** @throws {Error} With the system's code. */
export function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (typeof cause === 'object' && cause !== null && 'path' in cause) throw cause;
    throw Object.assign(new Error(`${path} cannot be read: ${messageOf(cause)}`, { cause }), { code: codeOf(cause) });
  }
}
