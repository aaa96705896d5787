/** Files that a command line names: what cannot be read or written is said with the name of the file. */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { codeOf, err, messageOf, ok, type Result } from '@natrium/model';
import { UsageError } from './options.js';

export function textOf(file: string): Result<string, string> {
  try {
    const bytes = readFileSync(file);
    return isUtf8(bytes) ? ok(bytes.toString()) : err('it is no UTF-8 text');
  } catch (error) {
    return err(unreadable(error));
  }
}

function unreadable(cause: unknown): string {
  const code = codeOf(cause);
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EISDIR') return 'this is a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'this account may not read it';
  return `cannot read it: ${messageOf(cause)}`;
}

/** @throws {UsageError} */
export function textNamed(file: string): string {
  const text = textOf(file);
  if (!text.ok) throw new UsageError(`${file}: ${text.error}`);
  return text.value;
}
