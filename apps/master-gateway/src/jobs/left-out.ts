/** Says of what another version has stored in another form that it is left out of what is read. */
import type { Logger } from 'pino';
import type { GrantOptions } from './job-grants.js';

/** Once of each kind: after an upgrade there may be a day's of them. */
export function tellingOnce(log: Pick<Logger, 'warn'>): NonNullable<GrantOptions['onUnreadable']> {
  const told = new Set<string>();
  return (kind) => {
    if (told.has(kind)) return;
    told.add(kind);
    log.warn(
      `a ${kind} that is kept is left out, as are others like it: another version has stored it in another form`,
    );
  };
}
