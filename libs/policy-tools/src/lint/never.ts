/** Rules that can match nothing that exists. */
import { BACK_ENDS, deniedFunction, deniedUser, isBackEnd, type Policy } from '@natrium/acl';
import { compileGlob, compilePattern, parseCompoundWord, splitWords } from '@natrium/matchers';
import { parseMinionId } from '@natrium/model';
import { type KeyedList, type PolicyView, type Rule } from '../policy-view.js';
import { provenSamples } from '../samples.js';
import { functionsNear } from './breadth.js';
import type { Finding } from './finding.js';
import { deadWord, isSide } from './spec-word.js';
import type { Subject } from './subject.js';

/** A caller's pattern whose every sample is no valid id. */
export function neverAnId({ path, source, test }: Subject): readonly Finding[] {
  const samples = provenSamples(source, test).filter((sample) => sample !== '');
  if (samples.length === 0 || samples.some((id) => parseMinionId(id) !== undefined)) return [];
  return [
    never(
      path,
      `no valid minion id can match '${source}'`,
      'an id has no slashes, no backslashes and no control characters',
    ),
  ];
}

/** A key of `publisher_acl` or of a back end that names no account and no login. */
export function neverAKey({ section, key, path }: KeyedList, { settings }: Policy): readonly Finding[] {
  if (section !== 'publisher_acl' && section !== 'external_auth') return [];
  if (key === '') return [never(path, 'nobody has an empty name', 'write a name, or remove the key')];
  if (section === 'external_auth') return path[1] === 'ldap' ? distinguishedName(key, path) : [];
  // With `sudo_acl` it is the list of who comes as `sudo_<that account>`.
  if ((key === settings.masterAccount || key === 'root') && !settings.sudoAcl) {
    const message = `'${key}' has full access by the master's own key, of which this list takes nothing`;
    return [never(path, message, 'remove it; who shall have less needs an account of their own')];
  }
  if (!key.endsWith('%')) return [];
  const mend = 'write the names of its accounts, or put the group into external_auth';
  return [never(path, `'${key}' names no group here, and no account: groups count only in external_auth`, mend)];
}

/** As `cn=admins,ou=groups,dc=example,dc=com`: of a group the directory's bare name counts, and no login is one. */
function distinguishedName(key: string, path: Finding['path']): readonly Finding[] {
  const [, attribute = '', name] = /^(\w+)=([^,=]+),\s*\w+=/.exec(key) ?? [];
  if (name === undefined) return [];
  const message = `'${key}' names nobody: a group is named by its cn and %, a login as it is typed`;
  const isGroup = key.endsWith('%') || /^cn$/i.test(attribute);
  const isName = /^[\w-]+$/.test(name) && (isGroup || /^uid$/i.test(attribute));
  return [never(path, message, isName ? `write '${name}${isGroup ? '%' : ''}'` : "write such a name, as 'admins%'")];
}

/** Sections of `external_auth` for which nobody can log in. */
export function noBackEnd({ policy }: PolicyView): readonly Finding[] {
  return [...policy.external.keys()]
    .filter((name) => !isBackEnd(name))
    .map((name) =>
      never(['external_auth', name], `there is no back end '${name}'`, `there are ${BACK_ENDS.join(', ')}`),
    );
}

/** What a function rule names, and why nobody can use it. */
export function neverUsed({ keyed, rule, entry }: Rule, { policy, modules }: PolicyView): readonly Finding[] {
  const { pattern, path } = rule;
  if (pattern === undefined) return [];
  if (entry.spec !== undefined) return neverOpens(keyed, entry.path, rule, entry.spec.word, modules);
  const samples = provenSamples(pattern.source, pattern.test).filter((sample) => sample !== '');
  if (samples.length === 0 || ['cmd.run', 'zz9.q'].every(pattern.test)) return [];
  if (samples.every((name) => /[,\s]/.test(name))) {
    return [
      never(
        path,
        `no function's name can match '${pattern.source}'`,
        'a name has no commas and no blanks; write one entry for each function',
      ),
    ];
  }
  if (keyed.section === 'peer' && samples.every((name) => name.startsWith('publish'))) {
    return [
      unreachable(
        path,
        `'${pattern.source}' is never permitted to a minion: a published function cannot publish again`,
      ),
    ];
  }
  const isTested = keyed.section !== 'peer_run';
  // A name without a dot is the beginning of more: of a whole module.
  const near = functionsNear({ path, source: pattern.source, test: pattern.test });
  const denied = [...samples, ...near].map((fun) => deniedFunction(policy, [fun]));
  if (!isTested || denied.some((deny) => deny === undefined)) return [];
  return [
    unreachable(
      path,
      `what '${pattern.source}' names is refused before by publisher_acl_blacklist`,
      samples.slice(0, 1),
    ),
  ];
}

function neverOpens(
  keyed: KeyedList,
  path: Finding['path'],
  rule: Rule['rule'],
  word: string,
  modules: PolicyView['modules'],
): readonly Finding[] {
  if (opensNoRunners(keyed)) return [specIn(keyed, path, word)];
  const dead = deadWord(word, modules);
  if (dead !== undefined) return [never(path, dead.message, dead.mend)];
  return isSide(word) || rule.path === path ? [] : neverBare(rule, word);
}

/** `jobs.active` below `@jobs`, where the function's own name is looked at. */
function neverBare({ path, pattern }: Rule['rule'], word: string): readonly Finding[] {
  const samples = pattern === undefined ? [] : provenSamples(pattern.source, pattern.test);
  const named = samples.filter((name) => name !== '');
  const [, own] = named.map((name) => /^\w+\.(\w+)$/.exec(name)).find((found) => found !== null) ?? [];
  if (own === undefined || !named.every((name) => name.includes('.'))) return [];
  return [never(path, `no function of ${word} can match '${pattern?.source ?? ''}'`, `write its own name: '${own}$'`)];
}

/** Minions and runners have sections of their own for it, or none. */
function opensNoRunners({ section }: KeyedList): boolean {
  return section === 'peer' || section === 'peer_run' || section === 'runner_grants';
}

function specIn({ section }: KeyedList, path: Finding['path'], word: string): Finding {
  return never(
    path,
    `'@${word}' means nothing in ${section}`,
    section === 'peer' ? 'runners for minions stand in peer_run, by their names' : 'write a function pattern',
  );
}

/** A key whose every sample is on the blacklist. */
export function deniedKey({ path, key, names, section }: KeyedList, { policy }: PolicyView): readonly Finding[] {
  if (names === undefined || (section !== 'publisher_acl' && section !== 'external_auth') || key === '*') return [];
  const samples = provenSamples(key, names).filter((sample) => sample !== '');
  if (samples.length === 0 || samples.some((name) => deniedUser(policy, name) === undefined)) return [];
  return [unreachable(path, `whom '${key}' names is refused before by publisher_acl_blacklist`, samples.slice(0, 1))];
}

/** A regular expression where a glob is read: the ids that it was meant for are outside. */
export function regexAsGlob(text: string, path: Finding['path']): readonly Finding[] {
  return splitWords(text).flatMap((word) => {
    const { engine, pattern } = parseCompoundWord(word);
    if (engine !== undefined || pattern.includes('\\*') || !/\.\*|\\|[()|+^$]/.test(pattern) || /^[()]$/.test(word))
      return [];
    const [glob, regex] = [compileGlob(pattern), compilePattern(pattern, { mode: 'prefix' })];
    if (!glob.ok || !regex.ok) return [];
    const meant = provenSamples(pattern, regex.value.test).find(
      (id) => parseMinionId(id) !== undefined && !glob.value.test(id),
    );
    if (meant === undefined) return [];
    const message = `'${word}' is read as a glob, so '${meant}' is not inside`;
    return [never(path, message, `write 'E@${word}', or a glob such as '${word.replaceAll('.*', '*')}'`, [meant])];
  });
}

export function never(path: Finding['path'], message: string, mend: string, witness?: readonly string[]): Finding {
  return {
    code: 'never-matches',
    severity: 'warning',
    path,
    message,
    mend,
    ...(witness === undefined ? {} : { witness }),
  };
}

function unreachable(path: Finding['path'], message: string, witness?: readonly string[]): Finding {
  return { code: 'unreachable', severity: 'warning', path, message, ...(witness === undefined ? {} : { witness }) };
}
