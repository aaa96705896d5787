/** Results to stdout (or `--out-file`) in the format that was asked for: the one way out for everything but messages. */
import type { Value } from '@natrium/model';
import { outputter, type Outputter, wantsAll } from '@natrium/output';
import type { Io } from '../ports.js';
import { type Options, UsageError } from './options.js';
import { pathTrouble } from './path-trouble.js';

export interface Shown {
  /** The function's own format, used when `--out` says nothing. */
  readonly out?: string | undefined;
  readonly retcode?: number;
}

export interface Printer {
  /** `--out` as given, also when it is unknown. */
  readonly asked: string | undefined;
  /** Whether the format wants all answers in one value. */
  readonly wantsAll: boolean;
  show(value: Value, how?: Shown): void;
  /** A sentence beside the results: on stdout as Salt has it, on stderr where a program reads that, which it would spoil. */
  say(text: string): void;
}

const FOR_PROGRAMS: ReadonlySet<string | undefined> = new Set(['json', 'jsonl', 'yaml', 'raw']);

const TOO_LARGE =
  '[ERROR   ] An answer is too large to be shown in this format: ask for less, or for --out=json --out-indent=-1\n';

const INDENT = { min: -1000, max: 1000 };

export function makePrinter(options: Options, io: Io): Printer {
  const asked = askedFormat(options);
  const indent = options.integer('outputIndent', INDENT);
  const write = writerOf(options, io);
  const color = wantsColor(options, io);
  const chosen = asked === undefined ? undefined : (outputter(asked) ?? fallBack(asked, io));
  const show = (value: Value, { out, retcode = 0 }: Shown = {}): void => {
    const render: Outputter = chosen ?? outputter(out ?? 'nested') ?? nested();
    const text = drawn(() => render(value, { color, retcode, ...(indent === undefined ? {} : { indent }) }));
    if (text === undefined) io.err(TOO_LARGE);
    else if (text !== '') write(`${text}\n`);
  };
  const say = (text: string): void => {
    if (FOR_PROGRAMS.has(asked)) io.err(text);
    else io.out(text);
  };
  return { asked, wantsAll: asked !== undefined && wantsAll(asked), show, say };
}

/** @returns undefined where it becomes more text than there may be: a minion says what it likes, and others' answers come after it. */
function drawn(render: () => string): string | undefined {
  try {
    return render().trimEnd();
  } catch (problem) {
    if (problem instanceof RangeError) return undefined;
    throw problem;
  }
}

/**
 * Nothing here returns states, and what is no state Salt's `highstate` prints as if nothing had been asked for; an empty
 * name, as of a shell's unset variable, asks for nothing.
 */
function askedFormat(options: Options): string | undefined {
  const name = options.text('output');
  return name === '' || name === 'highstate' ? undefined : name;
}

function fallBack(asked: string, io: Io): Outputter {
  io.err(`[ERROR   ] Invalid outputter ${asked} specified, fall back to nested\n`);
  return nested();
}

function nested(): Outputter {
  const found = outputter('nested');
  if (found === undefined) throw new Error('the outputter nested is missing');
  return found;
}

function wantsColor(options: Options, io: Io): boolean {
  if (options.flag('forceColor')) return true;
  const refused = !options.flag('color') || options.given('noColour') || (io.env['NO_COLOR'] ?? '') !== '';
  return io.outIsTty && !refused && fileOf(options) === undefined;
}

/** An empty name is none. */
function fileOf(options: Options): string | undefined {
  const file = options.text('outputFile');
  return file === '' ? undefined : file;
}

function writerOf(options: Options, io: Io): (text: string) => void {
  const file = fileOf(options);
  if (file === undefined) {
    if (options.flag('outputFileAppend') && !options.given('outputFile'))
      throw new UsageError('option --out-file-append: name the file with --out-file');
    return (text) => io.out(text);
  }
  try {
    return io.openFile(file, options.flag('outputFileAppend'));
  } catch (problem) {
    throw new UsageError(`option --out-file: ${pathTrouble(file, problem)}`);
  }
}
