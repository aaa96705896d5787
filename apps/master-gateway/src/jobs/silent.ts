/** What has become of the minions that a job still waits for when its time is up. */
import { readAsked } from '@natrium/bus';
import { MAY_BE_SILENT, type Seen, SILENT_MS } from '@natrium/flow';
import type { records } from '@natrium/wire';
import type { Logger } from 'pino';
import type { JobCache } from './job-cache.js';
import type { Presence } from '../minions/presence.js';

export interface SilentPorts {
  readonly presence: Pick<Presence, 'lookAt'>;
  readonly cache: Pick<JobCache, 'returnsOf'>;
  /** For how long a minion may say nothing to a look of a caller who waits, where he does not say. */
  readonly gatherTimeoutMs: number;
  readonly log: Logger;
}

/**
 * A minion that is there and not at work on the job has returned it somewhere: to another gateway, while this one was cut off.
 * Never rejects: what could not be learned is told as nothing, and the job ends.
 *
 * @param waits The caller waits for whoever is at work, so that nobody is taken for gone or idle who is only slow to say.
 */
export async function lookAtSilent(
  { presence, cache, gatherTimeoutMs, log }: SilentPorts,
  record: records.JobRecord,
  keys: readonly string[],
  waits: boolean,
): Promise<Seen> {
  const failed = (cause: unknown) => {
    log.error({ err: cause, jid: record.jid }, 'it could not be learned what became of silent minions');
  };
  const { gone, running } = await presence
    .lookAt(record.jid, keys, waits ? (silenceAsked(record) ?? gatherTimeoutMs) : undefined)
    .catch((cause: unknown) => {
      failed(cause);
      return { gone: [], running: [] };
    });
  if (gone.length + running.length >= keys.length) return { gone, running, returned: [] };
  const returned = await cache.returnsOf(record).catch((cause: unknown) => {
    failed(cause);
    return [];
  });
  return { gone, running, returned };
}

/** What a caller has signed may say anything. */
function silenceAsked({ request }: records.JobRecord): number | undefined {
  const asked = readAsked(request)?.options[MAY_BE_SILENT];
  return typeof asked === 'number' && asked >= SILENT_MS.least && asked <= SILENT_MS.most ? asked : undefined;
}
