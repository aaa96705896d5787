/** Short words for the news of a job, for scripts. */
import { type Absent, type Jid, type JobNews, jidOf, type Value } from '@natrium/model';

export const JID: Jid = jidOf(1_700_000_000_000_000);

export function started(minions: readonly string[], missing: readonly string[] = []): JobNews {
  return { type: 'started', jid: JID, minions, missing };
}

export function returned(id: string, ret: Value, retcode = 0, out?: string): JobNews {
  return { type: 'return', id, ret, retcode, success: retcode === 0, ...(out === undefined ? {} : { out }) };
}

export function ended(...absent: readonly Absent[]): JobNews {
  return { type: 'end', absent };
}
