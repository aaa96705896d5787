/** Which jobs a filter means, and which part of one is wanted: decided by whoever keeps the jobs, so that no others travel. */
import { isDeepStrictEqual } from 'node:util';
import { isList, isMap, isTrue, pyStr, type Value } from '@natrium/model';
import { matchesGlob } from '@natrium/modules';
import type { JobFilter, JobPart, JobSummary } from './runner-context.js';

type Searched = Pick<JobSummary, 'jid' | 'fun' | 'tgt' | 'metadata'>;

export function isInTime({ jid }: Pick<Searched, 'jid'>, { from, to }: JobFilter): boolean {
  return (from === undefined || jid >= from) && (to === undefined || jid <= to);
}

/** Whether all of the filter means it; how many of the latest is counted by whoever asks. */
export function isWanted(job: Searched, filter: JobFilter): boolean {
  return (
    isInTime(job, filter) &&
    (filter.without === undefined || job.fun !== filter.without) &&
    anyMatches(filter.functions, [job.fun].flat()) &&
    anyMatches(filter.targets, [job.tgt].flat()) &&
    hasMetadata(job, filter.metadata)
  );
}

function anyMatches(globs: readonly string[] | undefined, names: readonly string[]): boolean {
  return globs === undefined || globs.some((glob) => names.some((name) => matchesGlob(glob, name)));
}

/** One key of it suffices, as in Salt. */
function hasMetadata({ metadata = {} }: Searched, wanted: JobFilter['metadata']): boolean {
  if (wanted === undefined) return true;
  return Object.entries(wanted).some(
    ([key, value]) => Object.hasOwn(metadata, key) && isDeepStrictEqual(metadata[key], value),
  );
}

/** Globs as Salt's users write them: a list, or with commas. @returns undefined: any, as of whatever is empty. */
export function globsOf(words: Value): readonly string[] | undefined {
  if (!isTrue(words)) return undefined;
  return isList(words)
    ? words.map(pyStr)
    : pyStr(words)
        .split(',')
        .map((word) => word.trim());
}

/** What came as a value; what it does not understand filters nothing. */
export function jobFilterIn(value: Value): JobFilter {
  const { from, to, functions, targets, metadata, without, latest } = isMap(value) ? value : {};
  return {
    ...(typeof from === 'string' ? { from } : {}),
    ...(typeof to === 'string' ? { to } : {}),
    ...(isList(functions) ? { functions: functions.map(pyStr) } : {}),
    ...(isList(targets) ? { targets: targets.map(pyStr) } : {}),
    ...(isMap(metadata) ? { metadata } : {}),
    ...(typeof without === 'string' ? { without } : {}),
    ...(typeof latest === 'number' ? { latest } : {}),
  };
}

/** What came as a value. */
export function jobPartIn(value: Value): JobPart {
  const { minions, values, partial } = isMap(value) ? value : {};
  return {
    ...(isList(minions) ? { minions: minions.map(pyStr) } : {}),
    ...(typeof values === 'boolean' ? { values } : {}),
    ...(typeof partial === 'boolean' ? { partial } : {}),
  };
}

/** Whether a glob means an id; who names many ids is answered as fast as who names one. */
export function anyOf(globs: readonly string[]): (id: string) => boolean {
  const exact = new Set(globs);
  const patterns = globs.filter((glob) => /[*?[]/.test(glob));
  return (id) => exact.has(id) || patterns.some((glob) => matchesGlob(glob, id));
}
