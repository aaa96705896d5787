/** The parameters of everything in `cmd.*` that runs a command, by Salt's names; all but the first few are taken by name alone. */
import type { Value, ValueMap } from '@natrium/model';

export interface CommandOptions {
  readonly cwd: string;
  readonly stdin: string;
  readonly stdin_raw_newlines: boolean;
  readonly runas: string;
  readonly umask: string;
  readonly env: Value;
  readonly clean_env: boolean;
  readonly prepend_path: string;
  readonly reset_system_locale: boolean;
  readonly rstrip: boolean;
  readonly timeout: number | null;
  /** Of commands only: the file of a script is removed when the script has ended. */
  readonly bg?: boolean;
  readonly ignore_retcode: boolean;
  readonly success_retcodes: Value;
  readonly success_stdout: Value;
  readonly success_stderr: Value;
  readonly hide_output: boolean;
  readonly kwargs: ValueMap;
}

export const CWD = {
  name: 'cwd',
  type: 'str',
  default: '',
  doc: "Folder to run in; the account's home when not given.",
} as const;
export const STDIN = { name: 'stdin', type: 'str', default: '', doc: 'Text for its standard input.' } as const;
export const RUNAS = {
  name: 'runas',
  type: 'str',
  default: '',
  doc: 'Account to run as, without the further groups that it is in.',
} as const;

/** Also taken by position, in Salt's order. */
export const PLACE = [CWD, STDIN, RUNAS] as const;

/** By name only: Salt has `group` and others between them, and a word meant for those must not become something else. */
export const OPTIONS = [
  { name: 'umask', type: 'str', default: '', keyword: true, doc: 'Octal digits, other than 0.' },
  { name: 'env', type: 'any', default: null, keyword: true, doc: 'Variables, as a map or a list of maps.' },
  { name: 'clean_env', type: 'bool', default: false, keyword: true, doc: 'Only the variables of `env`.' },
  { name: 'prepend_path', type: 'str', default: '', keyword: true, doc: 'Folders to stand before those of PATH.' },
  {
    name: 'rstrip',
    type: 'bool',
    default: true,
    keyword: true,
    doc: 'Take the white space off the end of the output.',
  },
  {
    name: 'timeout',
    type: 'number',
    default: null,
    keyword: true,
    doc: 'Seconds until it is killed, with all that it started; 0: never.',
  },
  {
    name: 'stdin_raw_newlines',
    type: 'bool',
    default: false,
    keyword: true,
    doc: 'Leave `\\n` in the input as these two characters; else they are a line end.',
  },
  {
    name: 'ignore_retcode',
    type: 'bool',
    default: false,
    keyword: true,
    doc: 'The job succeeds whatever the exit code is.',
  },
  {
    name: 'success_retcodes',
    type: 'any',
    default: [],
    keyword: true,
    doc: 'Exit codes that count as 0: a number, or several as a list or with commas.',
  },
  {
    name: 'success_stdout',
    type: 'any',
    default: [],
    keyword: true,
    doc: 'Texts, as a list or with commas: where it prints one of them, its exit code counts as 0.',
  },
  {
    name: 'success_stderr',
    type: 'any',
    default: [],
    keyword: true,
    doc: 'Likewise of its standard error.',
  },
  { name: 'hide_output', type: 'bool', default: false, keyword: true, doc: 'Return nothing of what was printed.' },
  { name: 'reset_system_locale', type: 'bool', default: true, keyword: true, doc: 'Run in the locale C.' },
  {
    name: 'output_loglevel',
    type: 'str',
    default: 'debug',
    keyword: true,
    doc: 'Taken for the sake of scripts; output is never logged.',
  },
  { name: 'saltenv', type: 'any', default: null, keyword: true, doc: 'Likewise: nothing is fetched or rendered.' },
  { kwargs: 'kwargs', doc: 'Only names that begin with two underscores.' },
] as const;

export const BACKGROUND = {
  name: 'bg',
  type: 'bool',
  default: false,
  keyword: true,
  doc: 'Start it, wait for nothing of it, and let it outlive the job.',
} as const;

export const REDIRECT = { name: 'redirect_stderr', type: 'bool', keyword: true, doc: 'Both outputs as one.' } as const;
