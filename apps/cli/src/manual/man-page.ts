/** Manual pages in roff, one for each program; a program with subcommands tells of each in its own section. */
import { VERSION } from '@natrium/model';
import type { Documented, Program } from '../common/program.js';
import { CODE_NAME } from '../common/version.js';
import { appendix, shownOptions, spellings } from './programs.js';

/** Administration commands. */
const SECTION = 8;

export function manPageName({ program }: Documented): string {
  return `${program.name}.${String(SECTION)}`;
}

export function manPage({ program, subcommands }: Documented): string {
  const { name, usage, command } = program;
  const lines = [
    `.\\" Written by natriumctl man, from the same source as ${name} --help.`,
    `.TH "${name.toUpperCase()}" "${String(SECTION)}" "" "Natrium ${VERSION} (${CODE_NAME})" "Natrium"`,
    '.SH NAME',
    roff(`${name} - ${command.description()}`),
    '.SH SYNOPSIS',
    `.B ${roff(name)}`,
    roff(usage),
    '.SH OPTIONS',
    ...options(program),
    ...literal('NOTES', appendix(command)),
    ...subcommands.flatMap(section),
    '.SH SEE ALSO',
    'natrium(8), natrium-call(8), natrium-run(8), natrium-key(8), natriumctl(8)',
  ];
  return `${lines.join('\n')}\n`;
}

function section(program: Program): readonly string[] {
  return [
    `.SH ${roff(program.name.toUpperCase())}`,
    roff(`${program.name} ${program.usage}`),
    '.PP',
    roff(program.command.description()),
    ...options(program),
    ...literal(undefined, appendix(program.command)),
  ];
}

function options({ command }: Program): readonly string[] {
  return shownOptions(command).flatMap((option) => {
    const [, value = ''] = /( [<[].*)$/.exec(option.flags) ?? [];
    return ['.TP', `.B ${roff(spellings(option).join(', ') + value)}`, roff(option.description)];
  });
}

function literal(title: string | undefined, text: string): readonly string[] {
  if (text === '') return [];
  return [title === undefined ? '.PP' : `.SH ${title}`, '.nf', ...text.split('\n').map(roff), '.fi'];
}

/** Text as it is: roff reads backslashes, dashes, and dots or quotes that begin a line. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replace(/^([.'])/, '\\&$1');
}
