/** Completion scripts for bash and zsh. They know options and subcommands, and run nothing while somebody types. */
import { outputterNames } from '@natrium/output';
import type { Option } from 'commander';
import type { Documented, Program } from '../common/program.js';
import { shellQuoted } from '../common/shell-quoted.js';
import { shownOptions, spellings, takesValue } from './programs.js';

export const SHELLS = ['bash', 'zsh'] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, documented: readonly Documented[]): string {
  return shell === 'bash' ? bash(documented) : zsh(documented);
}

/** What may follow an option: words of a list, a file, a folder, or anything. */
function valuesOf(option: Option): readonly string[] | 'file' | 'dir' | 'any' {
  if (option.flags.includes('--output <name>')) return outputterNames();
  if (/<(dir|dirs)>$/.test(option.flags)) return 'dir';
  return /<file>$/.test(option.flags) ? 'file' : 'any';
}

function bash(documented: readonly Documented[]): string {
  const functions = documented.map(({ program, subcommands }) => {
    const cases = subcommands.map(
      (one) => `    ${lastWord(one)}) options='${words(one)}' verbs='${(one.verbs ?? []).join(' ')}' ;;`,
    );
    const names = subcommands.map(lastWord).join(' ');
    return [
      `${functionName(program)}() {`,
      `  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" options='${words(program)}' verbs=''`,
      ...(cases.length === 0 ? [] : ['  case "${COMP_WORDS[1]}" in', ...cases, '  esac']),
      '  case "$before" in',
      ...bashValues([program, ...subcommands]),
      '  esac',
      ...(names === ''
        ? []
        : [
            `  if [ "$COMP_CWORD" -eq 1 ]; then verbs='${names}'; elif [ "$COMP_CWORD" -gt 2 ]; then verbs=''; fi`,
            '  if [ -n "$verbs" ]; then COMPREPLY=($(compgen -W "$verbs" -- "$word")); [ -n "$COMPREPLY" ] && return; fi',
          ]),
      '  COMPREPLY=($(compgen -W "$options" -- "$word"))',
      '}',
      `complete -o default -F ${functionName(program)} ${program.name}`,
    ].join('\n');
  });
  return `# Completion of Natrium for bash; written by natriumctl completion bash.\n${functions.join('\n\n')}\n`;
}

function bashValues(programs: readonly Program[]): readonly string[] {
  const lines = programs
    .flatMap(({ command }) => shownOptions(command))
    .filter(takesValue)
    .map((option) => {
      const values = valuesOf(option);
      const reply =
        typeof values === 'string' ? BASH_VALUES[values] : `COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$word"))`;
      return `    ${spellings(option).join('|')}) ${reply}; return ;;`;
    });
  return [...new Set(lines)];
}

const BASH_VALUES = {
  file: 'COMPREPLY=($(compgen -f -- "$word"))',
  dir: 'COMPREPLY=($(compgen -d -- "$word"))',
  any: 'COMPREPLY=()',
} as const;

function zsh(documented: readonly Documented[]): string {
  const functions = documented.map(({ program, subcommands }) => {
    const name = functionName(program);
    if (subcommands.length === 0)
      return `${name}() {\n  _arguments -s -S \\\n${zshOptions(program)}    '*:word:_default'\n}`;
    const described = subcommands.map((one) => `    ${shellQuoted(`${lastWord(one)}:${one.command.description()}`)}`);
    const cases = subcommands.map(
      (one) => `    ${lastWord(one)}) _arguments -s -S \\\n${zshOptions(one)}${zshVerbs(one)}    '*:word:_default' ;;`,
    );
    return [
      `${name}() {`,
      '  local -a subcommands',
      '  subcommands=(',
      ...described,
      '  )',
      '  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then _describe subcommand subcommands; return; fi',
      '  case $words[2] in',
      ...cases,
      `    *) _arguments -s -S \\\n${zshOptions(program)}    '*:word:_default' ;;`,
      '  esac',
      '}',
    ].join('\n');
  });
  const names = documented.map(({ program }) => program.name);
  const pairs = documented.map(({ program }) => `compdef ${functionName(program)} ${program.name}`);
  return [
    `#compdef ${names.join(' ')}`,
    '# Completion of Natrium for zsh; written by natriumctl completion zsh.',
    ...functions,
    ...pairs,
    '',
  ].join('\n');
}

function zshOptions({ command }: Program): string {
  return shownOptions(command)
    .flatMap((option) => spellings(option).map((flag) => `    ${shellQuoted(zshOption(flag, option))} \\\n`))
    .join('');
}

/** The second word: the first is the subcommand. */
function zshVerbs({ verbs = [] }: Program): string {
  return verbs.length === 0 ? '' : `    '2:what to do:(${verbs.join(' ')})' \\\n`;
}

function zshOption(flag: string, option: Option): string {
  const about = option.description.replaceAll(/[[\]\\:]/g, '\\$&');
  if (!takesValue(option)) return `${flag}[${about}]`;
  const values = valuesOf(option);
  const action = typeof values === 'string' ? ZSH_VALUES[values] : `(${values.join(' ')})`;
  // After a blank, or after = where the name is long.
  return `${flag}${flag.startsWith('--') ? '=' : '+'}[${about}]:value:${action}`;
}

const ZSH_VALUES = { file: '_files', dir: '_files -/', any: ' ' } as const;

function words({ command }: Program): string {
  return shownOptions(command).flatMap(spellings).join(' ');
}

function lastWord({ name }: Program): string {
  return name.split(' ').at(-1) ?? name;
}

function functionName({ name }: Program): string {
  return `_${name.replaceAll(/[^a-z]/g, '_')}`;
}
