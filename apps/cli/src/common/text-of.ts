/** Files that a command line names: what cannot be read or written is said with the name of the file. */
import { readFileSync } from 'node:fs';
import { isNativeError } from 'node:util/types';
import { err, ok, type Result } from '@natrium/model';
import { UsageError } from './options.js';

export function textOf(file: string): Result<string, string> {
  try {
    return ok(readFileSync(file, 'utf8'));
  } catch (error) {
    return err(`cannot read it: ${isNativeError(error) ? error.message : String(error)}`);
  }
}

/** @throws {UsageError} */
export function textNamed(file: string): string {
  const text = textOf(file);
  if (!text.ok) throw new UsageError(`${file}: ${text.error}`);
  return text.value;
}
