/** Node groups of which no use is possible, or that name others that are not there. */
import { parseCompoundWord, parseTarget, splitWords } from '@natrium/matchers';
import { isList, isMap, type Value } from '@natrium/model';
import { isBelow, type PolicyView } from '../policy-view.js';
import type { Finding } from './finding.js';
import { never } from './never.js';

export function nodeGroups({ config, policy, problems }: PolicyView): readonly Finding[] {
  const { nodegroups } = policy;
  return [...nodegroups].flatMap(([name, definition]) => {
    if (problems.some(({ path }) => isBelow(path, ['nodegroups', name]))) return [];
    const path = ['nodegroups', ...placeIn(config.nodegroups, name), name];
    const parsed = parseTarget({ tgt: name, tgtType: 'nodegroup' }, { nodegroups });
    const wrong = parsed.ok ? parsed.value.problems : [parsed.error];
    const named = namedIn(definition);
    const missing = named.filter((group) => !nodegroups.has(group));
    if (wrong.length === 0) return missing.map((group) => vanished(group, path));
    return wrong.map(({ reason, isMild }) => {
      const what = `the node group '${name}'`;
      const message = isMild === true ? `a term of ${what} means nobody` : `${what} cannot be used`;
      return never(path, `${message}: ${reason}`, mendOf(reason, missing, named.includes(name)));
    });
  });
}

function vanished(group: string, path: Finding['path']): Finding {
  return never(path, `there is no node group '${group}', so that 'N@${group}' counts for nothing`, defineOne([group]));
}

function defineOne(missing: readonly string[]): string {
  return `define ${missing.map((group) => `'${group}'`).join(' and ')} under nodegroups, or leave it out`;
}

function mendOf(reason: string, missing: readonly string[], isInItself: boolean): string {
  if (missing.length > 0) return defineOne(missing);
  if (isInItself) return 'a group inside of itself counts for nothing: write whom it means';
  if (reason === 'the expression is empty') return 'write whom it means, or remove it';
  return reason.startsWith('there is no range server')
    ? "write ids or a pattern of them: 'L@a,b', 'E@web.*'"
    : 'write a compound expression as in spec/targeting.md#compound';
}

/** The groups that a definition itself names. */
function namedIn(definition: Value): readonly string[] {
  const words = typeof definition === 'string' ? splitWords(definition) : isList(definition) ? definition : [];
  return words.flatMap((word) => {
    const { engine, pattern } = parseCompoundWord(typeof word === 'string' ? word : '');
    return engine === 'N' ? [pattern] : [];
  });
}

/** Of a list of mappings the last with that name counts. */
function placeIn(raw: Value | undefined, name: string): readonly number[] {
  if (!isList(raw)) return [];
  const at = raw.findLastIndex((one) => isMap(one) && Object.hasOwn(one, name));
  return at < 0 ? [] : [at];
}
