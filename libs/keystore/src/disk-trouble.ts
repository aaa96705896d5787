/** One sentence for a file that cannot be written: which one, why, and what to do. */
import { codeOf, messageOf } from '@natrium/model';

/** The kernel's words for a disk that takes nothing, and what mends it. */
const MENDS: Readonly<Record<string, string>> = {
  ENOSPC: 'make room on that disk',
  EDQUOT: 'make room, or raise the quota',
  EROFS: 'make that disk writable again',
  EACCES: 'give it back to the user of this program',
  EPERM: 'give it back to the user of this program',
  EIO: 'look at that disk: it fails',
};

/** The disk took a part only: it is full, which the next write would say. */
export class PartlyWritten extends Error {
  override readonly name = 'PartlyWritten';
  readonly code = 'ENOSPC';
  constructor() {
    super('ENOSPC: the disk took a part of it');
  }
}

export function diskTrouble(path: string, cause: unknown): string {
  return `${path} cannot be written (${messageOf(cause)}): ${mendOf(cause) ?? 'see that its folder is there and can be written'}`;
}

/** @returns undefined for a failure that is not the disk's. */
export function mendOf(cause: unknown): string | undefined {
  return MENDS[codeOf(cause) ?? ''];
}
