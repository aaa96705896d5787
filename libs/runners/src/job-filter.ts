/** Which jobs a filter means, and which part of one is wanted: decided by whoever keeps the jobs, so that no others travel. */
import { isDeepStrictEqual } from 'node:util';
import { isList, isMap, isTrue, pyStr, type Value } from '@natrium/model';
import { compileGlob, InvocationError } from '@natrium/modules';
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
    anyMatches(filter.functions, job.fun) &&
    anyMatches(filter.targets, job.tgt) &&
    hasMetadata(job, filter.metadata)
  );
}

/** One filter is tried on job after job: its globs are compiled once. */
const compiled = new WeakMap<readonly string[], (name: string) => boolean>();

function anyMatches(globs: readonly string[] | undefined, names: string | readonly string[]): boolean {
  if (globs === undefined) return true;
  const test = compiled.get(globs) ?? anyOf(globs);
  compiled.set(globs, test);
  return [names].flat().some(test);
}

/** One key of it suffices, as in Salt. */
function hasMetadata({ metadata = {} }: Searched, wanted: JobFilter['metadata']): boolean {
  if (wanted === undefined) return true;
  return Object.entries(wanted).some(
    ([key, value]) => Object.hasOwn(metadata, key) && isDeepStrictEqual(metadata[key], value),
  );
}

/** Characters of the globs of one list, without what is a plain name: each of them is tried on each job, minion or key. */
const MAX_GLOBS = 8192;

/**
 * Globs as Salt's users write them: a list, or with commas.
 *
 * @returns undefined: any, as of whatever is empty.
 * @throws {InvocationError} When they are too many.
 */
export function globsOf(words: Value): readonly string[] | undefined {
  if (!isTrue(words)) return undefined;
  const texts = isList(words)
    ? words.map(pyStr)
    : pyStr(words)
        .split(',')
        .map((word) => word.trim());
  return boundedGlobs(texts);
}

/** The same globs. @throws {InvocationError} When they are too many. */
export function boundedGlobs(globs: readonly string[]): readonly string[] {
  if (globs.filter(isPattern).reduce((sum, glob) => sum + glob.length, 0) > MAX_GLOBS)
    throw new InvocationError(`globs to search for have at most ${String(MAX_GLOBS)} characters together`);
  return globs;
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

/** Reads what came as a value; what it does not understand leaves the whole job wanted. */
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
  const patterns = globs.filter(isPattern).map(compileGlob);
  return (id) => exact.has(id) || patterns.some((matches) => matches(id));
}

function isPattern(glob: string): boolean {
  return /[*?[]/.test(glob);
}
