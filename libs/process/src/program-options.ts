/** The command line of a program that runs until it is told to stop; all that it does is in its configuration. */
import { parseArgs } from 'node:util';

/** The exit status for wrong usage, as shells and our own commands have it. */
const WRONG_USE = 2;

export interface OwnOption {
  /** What stands for its value in the help. */
  readonly value: string;
  readonly about: string;
}

export interface ProgramOptions<Own extends string> {
  /** Absolute, or below the current folder. */
  readonly configDir: string;
  readonly own: Readonly<Partial<Record<Own, string>>>;
}

/** Ends the process for `--help`, and with 2 and one sentence for what it does not know. */
export function programOptions<Own extends string>(
  program: string,
  about: string,
  own: Readonly<Record<Own, OwnOption>>,
): ProgramOptions<Own> {
  const names = Object.keys(own) as Own[];
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args: process.argv.slice(2),
      options: {
        config: { ...text, short: 'c' },
        'config-dir': text,
        help: { type: 'boolean', short: 'h' },
        ...Object.fromEntries(names.map((name) => [name, text])),
      },
    });
    if (values.help === true) {
      process.stdout.write(helpText(program, about, own));
      process.exit(0);
    }
    const said: Readonly<Record<string, unknown>> = values;
    const given = names.flatMap((name) => (typeof said[name] === 'string' ? [[name, said[name]] as const] : []));
    return {
      configDir: values['config-dir'] ?? values.config ?? '/etc/natrium',
      own: Object.fromEntries(given) as Partial<Record<Own, string>>,
    };
  } catch (error) {
    process.stderr.write(`${program}: ${error instanceof Error ? error.message : String(error)}; see --help\n`);
    process.exit(WRONG_USE);
  }
}

function helpText(program: string, about: string, own: Readonly<Record<string, OwnOption>>): string {
  const lines = [
    ['-c, --config-dir DIR', 'the folder of its configuration (/etc/natrium)'],
    ...Object.entries(own).map(([name, { value, about: of }]) => [`    --${name} ${value}`, of]),
    ['-h, --help', 'this text'],
  ];
  const options = lines.map(([option = '', text = '']) => `  ${option.padEnd(28)}${text}`);
  return [
    `Usage: ${program} [-c DIR]`,
    '',
    about,
    'It runs in the foreground until it is told to stop (SIGTERM, SIGINT), and logs',
    'in JSON on stdout; `log_level` of its configuration says how much.',
    '',
    ...options,
    '',
  ].join('\n');
}
