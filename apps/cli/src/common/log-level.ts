/**
 * `-l` and `--log-file-level` change nothing here, but take only Salt's levels: any other word belongs to a command that was
 * not quoted, and would be lost without a sign.
 */
import type { Options } from './options.js';

const LEVELS = [
  'all',
  'garbage',
  'trace',
  'debug',
  'profile',
  'info',
  'warning',
  'error',
  'critical',
  'quiet',
] as const;

/** @throws {UsageError} For a word that is no level. */
export function checkLogLevels(options: Options): void {
  for (const name of ['logLevel', 'logFileLevel']) options.choice(name, LEVELS);
}
