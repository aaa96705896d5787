/** What must hold at rest, whatever was lost on the way; each is named by its words. */
import { decode } from '@natrium/envelope';
import type { ActiveJob, ActiveJobs } from '@natrium/flow';
import { NOT_NOW } from '@natrium/model';
import { readAs, records } from '@natrium/wire';
import type { JobCache } from '../../apps/master-gateway/src/jobs/job-cache.js';
import type { Bucket } from './bucket.js';
import { cacheFor } from './faulty-store.js';
import type { AnyGateway, Reached } from './parties.js';
import type { World } from './world.js';

/** What a caller has heard. */
interface Heard {
  readonly refusal: string | undefined;
  readonly isOver: boolean;
}

const JUDGE: Reached = { instance: 'judge', isDead: false, cutUntil: 0, standsUntil: 0 };

/** @param isAskedAgain Others have asked with the same signed request: what one of them heard is nothing that the others were told. */
export async function checkAtRest(world: World, caller: Heard, isAskedAgain: boolean): Promise<void> {
  const cache = cacheFor(world, JUDGE);
  await checkJobs(world, cache);
  await checkReturns(world, cache);
  const isNotNow = isAskedAgain && NOT_NOW.some((code) => code === caller.refusal);
  if (caller.refusal !== undefined && world.ran.length > 0 && !isNotNow)
    world.break(`what has run is not refused to its caller (${caller.refusal})`);
  if (!caller.isOver) world.break('a caller hears an end');
  for (const { isDead, parts } of world.gateways)
    if (!isDead && openJobs(parts).length > 0) world.break('no job is gathered for ever');
}

async function checkJobs(world: World, cache: JobCache): Promise<void> {
  const jids = new Set([...world.toldJids, ...world.ran.map(({ jid }) => jid)]);
  for (const jid of jids)
    if ((await cache.byJid(jid)) === undefined)
      world.break(`a job that has run, or that was told to have begun, is kept with its grant (${jid})`);
}

async function checkReturns(world: World, cache: JobCache): Promise<void> {
  for (const { value } of world.buckets[0].under(['r.>']))
    for (const { id, jid } of readAs(records.ReturnGroup, decode(value)))
      if ((await cache.byJid(jid)) === undefined) world.break(`a return belongs to a job (of ${id}, ${jid})`);
  if (world.alive.length === 0) return; // nobody is there to keep it
  for (const { id, jid } of world.ran)
    if (!(await cache.returnsOf({ jid })).some((stored) => stored.id === id))
      world.break(`the return of what has run is kept (of ${id}, ${jid})`);
}

/**
 * What a gateway writes down of its oldest job is what another one begins to read at when it is gone: no job that is open here, or that was
 * sent and is not known to be granted, may be older.
 */
export function checkOldest(world: World, { instance, parts, sent }: AnyGateway, bucket: Bucket): void {
  const told = bucket.read(`o.${instance}`);
  if (told === undefined) return;
  const since = Number(decode(told.value));
  const isHidden = (place: string, jid: string) => {
    const entry = bucket.read(`j.${place}`);
    if (entry === undefined || entry.revision >= since) return false;
    const asked = readAs(records.AskedJob, decode(entry.value));
    return asked.instance === instance && asked.jid === jid;
  };
  if (openJobs(parts).some(({ place, record }) => isHidden(place, record.jid)))
    world.break('whoever goes on with the jobs of a gateway finds its open ones');
  for (const [jid, place] of sent)
    if (isHidden(place, jid) && !isGranted(world, jid))
      world.break('whoever goes on with the jobs of a gateway finds those that were sent and have no grant yet');
}

function isGranted({ buckets }: World, jid: string): boolean {
  const groups = buckets[0].under(['g.>']).map(({ value }) => readAs(records.JobGrantGroup, decode(value)));
  return groups.some((group) => group.some((granted) => granted.jid === jid));
}

function openJobs({ jobs }: { readonly jobs: Pick<ActiveJobs, 'all'> }): readonly ActiveJob[] {
  return jobs.all().filter(({ gathering }) => !gathering.ended);
}
