/**
 * What runners and the wheel answered, in the job cache: clients ask for it by its jid, as for a job's returns. As in Salt it is the
 * return of the master itself, and holds what the event of the run's end says.
 */
import { hostname } from 'node:os';
import { stampOf } from '@natrium/events';
import type { PeerRunPorts, RunStart } from '@natrium/flow';
import { isMap, type Jid, startTimeOf, type Value, type ValueMap } from '@natrium/model';
import type { records } from '@natrium/wire';
import type { Logger } from 'pino';
import type { JobEvents } from './events/job-events.js';
import type { JobCache } from './job-cache.js';

const OF_MASTER = '_master';
const MASTER = `${hostname()}${OF_MASTER}`;

interface RunParts {
  readonly cache: Pick<JobCache, 'storeReturn'>;
  readonly events: Pick<JobEvents, 'runStarted' | 'endOf' | 'runEnded'>;
  readonly now: () => number;
  readonly log: Pick<Logger, 'error'>;
}

/** Whoever hears of a run's end finds what it answered in the job cache. */
export function announcingRuns({ cache, events, now, log }: RunParts): PeerRunPorts['announce'] {
  const ended = async (start: RunStart, end: ValueMap) => {
    try {
      await cache.storeReturn(asReturn(start.jid, end, now()));
    } catch (cause) {
      log.error({ err: cause, jid: start.jid }, 'what a run answered could not be kept');
    }
    events.runEnded(start, end);
  };
  return (start, ran) => {
    if (ran === undefined) events.runStarted(start);
    else void ended(start, events.endOf(start, ran));
  };
}

function asReturn(jid: Jid, end: ValueMap, at: number): records.StoredReturn {
  const success = end['success'] === true;
  const outcome = { ret: { ...end, _stamp: stampOf(at) }, retcode: success ? 0 : 1, success, out: null };
  return { jid, id: MASTER, status: 'done', outcome, at };
}

/** @returns null when no run with this jid has ended; returns of minions may be left of a job whose record has expired. */
export async function endedRun(cache: Pick<JobCache, 'returnsOf'>, jid: Jid): Promise<Value> {
  const stored = (await cache.returnsOf({ jid })).find(isOfRun);
  if (stored === undefined) return null;
  const { id, outcome } = stored;
  const { ret, retcode, success } = outcome;
  if (!isMap(ret)) return null;
  const { fun = '', fun_args: args = [], user = '' } = ret;
  return {
    jid,
    Function: fun,
    Arguments: args,
    Target: id,
    'Target-type': 'list',
    User: user,
    StartTime: startTimeOf(jid),
    Minions: [id],
    Result: { [id]: { return: ret, retcode, success } },
  };
}

/** Whichever gateway stored it. A minion's id may end so as well, but what it returns does not name its jid. */
function isOfRun({ jid, id, outcome: { ret } }: records.StoredReturn): boolean {
  return id.endsWith(OF_MASTER) && isMap(ret) && ret['jid'] === jid;
}
