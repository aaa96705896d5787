/** What a minion would say of a command to who stands beside it: that no shell reads it. */
import { shellNote } from '@natrium/modules';
import type { JobAsk } from '../ports.js';

export function noteOn({ funs, args }: JobAsk): string | undefined {
  return funs.map((fun, index) => shellNote(fun, args[index] ?? [])).find((note) => note !== undefined);
}
