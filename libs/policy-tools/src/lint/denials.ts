/** Entries of `publisher_acl_blacklist` that deny less than they seem to, or nobody. */
import { splitWords } from '@natrium/matchers';
import type { PolicyView } from '../policy-view.js';
import type { Finding } from './finding.js';
import { never } from './never.js';
import { isSide } from './spec-word.js';

export function weakDenials({ policy }: PolicyView): readonly Finding[] {
  return [
    ...policy.deniedUsers.rules.flatMap(({ path, match }) => idleUser(match.source, path)),
    ...policy.deniedModules.rules.flatMap(({ path, match }) => {
      const idle = idleModule(match.source, path);
      return idle.length > 0 ? idle : narrow(match, path);
    }),
  ];
}

function idleUser(source: string, path: Finding['path']): readonly Finding[] {
  if (source === '') return [never(path, 'an empty entry denies nobody', 'write a name, or remove it')];
  if (!/^%|%$/.test(source) || !mustHave(source, '%')) return [];
  const message = `'${source}' denies nobody: groups mean nothing here, and no account has such a name`;
  return [never(path, message, 'write the names of its accounts')];
}

/** Names of functions have no `@`, no blank and no comma; those of runners and of the wheel are tested here like any other. */
function idleModule(source: string, path: Finding['path']): readonly Finding[] {
  if (source === '') return [never(path, 'an empty entry denies nothing', 'write a function, or remove it')];
  if (!mustHave(source, '@,\\s')) return [];
  const message = `'${source}' denies nothing: no function's name has an @, a comma or a blank`;
  return [never(path, message, source.startsWith('@') ? wordMend(source.slice(1)) : splitMend(source))];
}

function wordMend(word: string): string {
  if (/^\w+$/.test(word) && !isSide(word)) return `write '${word}.*'`;
  if (/^\w+\.[\w*]+$/.test(word)) return `write '${word}'`;
  return "write the functions of runners and wheel by their own names, such as 'jobs.*'";
}

const NAME = /^\w+\.(?:\w+|\*)$/;

/** Several functions, or one with what seems to be its arguments. */
function splitMend(source: string): string {
  const words = splitWords(source.replaceAll(',', ' '));
  const [first = ''] = words;
  if (words.every((word) => NAME.test(word)))
    return words.length > 1
      ? `write an entry for each: ${words.map((word) => `'${word}'`).join(', ')}`
      : `write '${first}'`;
  if (!source.includes(',') && NAME.test(first)) return `write '${first}'; arguments are not looked at here`;
  return "write an entry for each function, as 'cmd.run'";
}

/** Tells whether whatever matches has one of these characters, read as a glob and as a regular expression. */
function mustHave(source: string, chars: string): boolean {
  return !/[|()[\]{}\\]/.test(source) && new RegExp(`[${chars}](?![*?])`, 'u').test(source);
}

/** `cmd` among the denied modules stops a function that is called `cmd`, and no other. */
function narrow(
  match: PolicyView['policy']['deniedModules']['rules'][number]['match'],
  path: Finding['path'],
): readonly Finding[] {
  const { source, test } = match;
  if (!/^\w+$/.test(source) || test(`${source}.run`)) return [];
  const message = `'${source}' blocks only a function that is called ${source}, not '${source}.run'`;
  return [
    {
      code: 'denies-less',
      severity: 'warning',
      path,
      message,
      witness: [`${source}.run`],
      mend: `did you mean '${source}.*'?`,
    },
  ];
}
