import type { Options } from '../common/options.js';
import type { ConnectMaster, Io } from '../ports.js';

/** One `natriumctl acl` command line. */
export interface AclCommand {
  /** What follows the word. */
  readonly words: readonly string[];
  readonly options: Options;
  readonly io: Io;
  /** Another way to a cluster than the usual one; specs have theirs. */
  readonly connectMaster?: ConnectMaster;
}
