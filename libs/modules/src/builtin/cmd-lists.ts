/**
 * Which commands `cmd.*` may run on this minion: Salt's `cmd_blacklist_glob` and `cmd_whitelist_glob`, from the configuration, else from
 * the grains, else from the pillar.
 *
 * Diverges: they count for `cmd.*`, not for what other modules run to do their work (compat/divergences.md).
 */
import { isList, isTrue, pyStr, type Value } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { ExecutionError } from '../loader/errors.js';
import { matchesGlob } from '../loader/glob.js';

type Places = Pick<CallContext, 'config' | 'grains' | 'pillar'>;

/** A command, which is text or a list of words, as one text: what the lists judge, what a shell runs, what a sentence names. */
export function commandText(cmd: Value): string {
  return isList(cmd) ? cmd.map(pyStr).join(' ') : pyStr(cmd);
}

/** @throws {ExecutionError} */
export function mustBePermitted(cmd: Value, places: Places): void {
  const text = commandText(cmd);
  const isIn = (globs: readonly string[]) => globs.some((glob) => matchesGlob(glob, text));
  const only = globsIn('cmd_whitelist_glob', places);
  if (isIn(globsIn('cmd_blacklist_glob', places)) || (only.length > 0 && !isIn(only)))
    throw new ExecutionError(`This shell command is not permitted: "${text}"`);
}

function globsIn(name: string, { config, grains, pillar }: Places): readonly string[] {
  const found = [() => config, grains, () => pillar?.() ?? {}]
    .map((place) => place()[name] ?? null)
    .find((value) => isTrue(value));
  if (found === undefined) return [];
  return isList(found) ? found.map(pyStr) : [pyStr(found)];
}
