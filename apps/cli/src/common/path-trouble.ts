/** Why a file or folder of the command line cannot be used, in words instead of the system's own. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, messageOf } from '@natrium/model';

/** @param path What was to be written or made. */
export function pathTrouble(path: string, cause: unknown): string {
  const above = dirname(path);
  const code = codeOf(cause);
  if (code === 'EISDIR') return `${path} is a folder: name a file in it`;
  if (code === 'EEXIST') return `${path} is a file: name a folder`;
  if (code === 'ENOTDIR') return `${above} is no folder`;
  if (code === 'ENOENT' && !existsSync(above)) return `there is no folder ${above}`;
  if (code === 'ENOENT') return `nothing can be made in ${above}`;
  if (code === 'EACCES' || code === 'EPERM') return `this account may not write to ${path}`;
  return messageOf(cause);
}
