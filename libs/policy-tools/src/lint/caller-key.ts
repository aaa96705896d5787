/** Keys of `peer` and `peer_run` that are written as targets: `web1,web2`, `G@role:web`, `web1 or web2`. */
import { compilePattern, expandNodeGroup, type NodeGroups, parseCompoundWord, splitWords } from '@natrium/matchers';
import type { Fleet } from '../fleet.js';
import type { KeyedList } from '../policy-view.js';
import type { Finding } from './finding.js';
import { never } from './never.js';

const ID_LIST = /^[\w.*?-]+(?:\s*,\s*[\w.*?-]+)+$/u;
const MAX_MEND = 200;

export function targetAsKey(keyed: KeyedList, nodegroups: NodeGroups, fleet: Fleet): readonly Finding[] {
  const { section, key, path, names } = keyed;
  const words = splitWords(key);
  const isTarget =
    words.some((word) => parseCompoundWord(word).engine !== undefined) ||
    (words.length > 1 && words.some((word) => ['and', 'or', 'not'].includes(word)));
  if (!isTarget && !ID_LIST.test(key)) return [];
  if (fleet.from === 'given' && names !== undefined && [...fleet.accepted].some(names)) return [];
  const message = `'${key}' names nobody: keys of ${section} are regular expressions on the id of who asks, no targets`;
  const mend = closed(isTarget ? patternsOf(words, nodegroups) : key.split(/\s*,\s*/).map(globPattern));
  return [
    never(path, message, mend === undefined ? "write a pattern of their ids, such as 'web.*'" : `write '${mend}'`),
  ];
}

/** What the words mean, as regular expressions on ids; undefined where more than ids decides, or not all can be said so. */
function patternsOf(words: readonly string[], groups: NodeGroups): readonly (string | undefined)[] {
  if (words.some((word) => word === 'and' || word === 'not')) return [undefined];
  return words
    .filter((word) => !['or', '(', ')'].includes(word))
    .flatMap((word) => {
      const { engine, pattern } = parseCompoundWord(word);
      if (engine === undefined) return [globPattern(pattern)];
      if (engine === 'E') return [pattern];
      if (engine === 'L')
        return pattern
          .split(',')
          .filter((id) => id !== '')
          .map(globPattern);
      const inside = engine === 'N' ? expandNodeGroup(pattern, groups) : undefined;
      return inside === undefined || inside.length === 0 ? [undefined] : patternsOf(inside, new Map());
    });
}

/** With `.*` it is one already: keys are. */
function globPattern(glob: string): string | undefined {
  if (/^[\w.*-]*\.\*$/u.test(glob)) return glob;
  if (!/^[\w.*?-]+$/u.test(glob)) return undefined;
  const regex = glob.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
  return regex.endsWith('.*') ? regex : `${regex}$`;
}

function closed(patterns: readonly (string | undefined)[]): string | undefined {
  const known = patterns.filter((pattern) => pattern !== undefined);
  if (known.length === 0 || known.length < patterns.length) return undefined;
  const ends = known.every((pattern) => /^[\w\\.*-]+\$$/u.test(pattern));
  const mend = known.length > 1 && ends ? `(?:${known.map((one) => one.slice(0, -1)).join('|')})$` : known.join('|');
  return mend.length <= MAX_MEND && compilePattern(mend, { mode: 'prefix' }).ok ? mend : undefined;
}
