/** An account's key comes to the roster, or a new one in its place where the roster has no use for it. */
import type { Identity } from '@natrium/envelope';
import type { Refusal, Result, Value } from '@natrium/model';

export interface KeyPorts {
  /** Puts a new key in the place of the account's file. */
  make(): Identity;
  enrol(identity: Identity): Promise<Result<Value, Refusal>>;
}

/**
 * @param kept The key that lies in the account's file; undefined: it is to get a new one.
 *
 * A kept key that was somebody's before is refused for ever, under whatever name it was used: it cannot be the account's, so its
 * file goes. A new key is refused for other reasons, and stays for the next sync.
 */
export async function enrolKey(kept: Identity | undefined, ports: KeyPorts): Promise<Result<Value, Refusal>> {
  if (kept === undefined) return ports.enrol(ports.make());
  const enrolled = await ports.enrol(kept);
  return enrolled.ok || enrolled.error.code !== 'key_state' ? enrolled : ports.enrol(ports.make());
}
