/** Completion scripts for bash and zsh. They know options and subcommands, and run nothing while somebody types. */
import { outputterNames } from '@natrium/output';
import type { Command, Option } from 'commander';
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
      `  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" options='${words(program)}' verbs='' equals=''`,
      BASH_EQUALS,
      ...(names === '' ? [] : [bashPlace(program), '  case "${COMP_WORDS[at]}" in', ...cases, '  esac']),
      '  case "$before" in',
      ...bashValues([program, ...subcommands]),
      '  esac',
      '  [ -n "$equals" ] && return',
      ...(names === ''
        ? []
        : [
            `  if [ "$COMP_CWORD" -eq "$at" ]; then verbs='${names}'; elif [ "$COMP_CWORD" -gt $((at + 1)) ]; then verbs=''; fi`,
            '  if [ -n "$verbs" ]; then COMPREPLY=($(compgen -W "$verbs" -- "$word")); [ -n "$COMPREPLY" ] && return; fi',
          ]),
      '  COMPREPLY=($(compgen -W "$options" -- "$word"))',
      '}',
      `complete -o default -F ${functionName(program)} ${program.name}`,
    ].join('\n');
  });
  return `# Completion of Natrium for bash; written by natriumctl completion bash.\n${functions.join('\n\n')}\n`;
}

/** Of `--out=json` bash makes three words, and of `--out=` two; the value is the one that is completed. */
const BASH_EQUALS =
  '  if [ "$word" = = ]; then word=\'\' equals=1; elif [ "$before" = = ]; then before="${COMP_WORDS[COMP_CWORD-2]}" equals=1; fi';

/** Where the subcommand stands: behind the options of the program itself. */
function bashPlace({ command }: Program): string {
  return `  local at=1
  while [ "$at" -lt "$COMP_CWORD" ]; do
    case "\${COMP_WORDS[at]}" in
      ${withValue(command)}) at=$((at + 2)); [ "\${COMP_WORDS[at-1]}" = = ] && at=$((at + 1)) ;;
      -*) at=$((at + 1)) ;;
      *) break ;;
    esac
  done`;
}

/** Spellings of the options that take the word behind them, as a pattern of both shells. */
function withValue(command: Command): string {
  return shownOptions(command).filter(takesValue).flatMap(spellings).join('|');
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
      zshPlace(program),
      '  if (( CURRENT == at )) && [[ $words[at] != -* ]]; then _describe subcommand subcommands; return; fi',
      '  case $words[at] in',
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

/** As `bashPlace`; a value behind = is in the same word here. */
function zshPlace({ command }: Program): string {
  return `  local -i at=2
  while (( at < CURRENT )); do
    case $words[at] in
      (${withValue(command)}) (( at += 2 )) ;;
      (-*) (( at += 1 )) ;;
      (*) break ;;
    esac
  done`;
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
