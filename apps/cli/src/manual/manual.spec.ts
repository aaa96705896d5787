import { allDocumented } from './all-documented.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { completionScript, SHELLS } from './completion.js';
import { manPage, manPageName } from './man-page.js';
import { shownOptions, spellings } from './programs.js';

const documented = allDocumented(new ScriptedIo());
const programs = programsOf(documented);
const flags = programs.map(({ name, command }) => [name, shownOptions(command).flatMap(spellings)] as const);

function programsOf(all: typeof documented) {
  return all.flatMap(({ program, subcommands }) => [program, ...subcommands]);
}

describe('the programs', () => {
  it('are all five, with the subcommands of natriumctl', () => {
    expect(documented.map(({ program }) => program.name)).toEqual([
      'natrium',
      'natrium-call',
      'natrium-run',
      'natrium-key',
      'natriumctl',
    ]);
    expect(programs.map(({ name }) => name)).toContain('natriumctl job');
  });
});

describe.each(SHELLS)('completion for %s', (shell) => {
  const script = completionScript(shell, documented);

  it.each(flags)('knows every option of %s', (_name, options) => {
    expect(options.length).toBeGreaterThan(3);
    for (const flag of options) expect(script).toMatch(new RegExp(`[ '|]${flag}[ '=+[|)]`));
  });

  it('knows every subcommand', () => {
    for (const { subcommands } of documented)
      for (const { name } of subcommands) expect(script).toContain(name.replace('natriumctl ', ''));
  });
});

it.each([80, 60])(
  'the options of every help fit into %d columns, where no word is longer than that leaves',
  (columns) => {
    const long = programsOf(allDocumented(new ScriptedIo({ columns }))).flatMap(({ command }) =>
      command
        .helpInformation()
        .split('\n')
        .filter((line) => line.startsWith(' ') && line.length > columns && / /.test(line.trim())),
    );
    expect(long).toEqual([]);
  },
);

it('what a subcommand can do, for completion, is what its usage says', () => {
  for (const { name, usage, verbs = [] } of programs)
    expect([name, verbs.filter((verb) => !new RegExp(`(^|[|<] ?)${verb}\\b`).test(usage))]).toEqual([name, []]);
});

describe('the manual', () => {
  it.each(documented.map((one) => [manPageName(one), one] as const))('%s names every option', (_name, one) => {
    const page = manPage(one).replaceAll('\\-', '-');
    for (const program of [one.program, ...one.subcommands]) {
      for (const option of shownOptions(program.command)) {
        expect(page).toContain(spellings(option).join(', '));
        expect(page).toContain(option.description);
      }
      expect(page).toContain(program.command.description());
    }
  });

  it('has the examples and exit codes of the help, and no line that roff would take for a request', () => {
    const page = manPage(documented[0] ?? { program: programs[0] as never, subcommands: [] });
    expect(page).toContain('Exit codes (docs/exit\\-codes.md)');
    const requests = page.split('\n').filter((line) => /^[.']/.test(line));
    for (const line of requests) expect(line).toMatch(/^\.(\\"|TH|SH|B|TP|PP|nf|fi)/);
  });
});
