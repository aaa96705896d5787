/** One `natrium` command line as a request: whom, what, how to wait, how to show. It asks nobody; `run-natrium.ts` does. */
import { yamlify } from '@natrium/args';
import { runnerTagProblem } from '@natrium/events';
import { WAITS } from '@natrium/flow';
import { err, ok, type Result } from '@natrium/model';
import type { CommandDefaults } from '../common/command-defaults.js';
import { configWords } from '../common/common-options.js';
import { type Options, UsageError } from '../common/options.js';
import { targetTypeIn } from '../common/target-options.js';
import { commandWords, type CommandWords, targetWord } from '../common/words.js';
import type { JobAsk } from '../ports.js';
import { askedBatch, type AskedBatch } from './batch.js';

export interface Request {
  readonly mode: 'publish' | 'async' | 'preview';
  readonly ask: Asked;
  readonly show: AskedShow;
  readonly batch: AskedBatch;
  /** Only so many of them, by chance. */
  readonly subset: number | undefined;
  readonly progress: boolean;
}

/** Without a timeout where the command line has none: then the configuration's counts. */
export type Asked = Omit<JobAsk, 'timeout'> & { readonly timeout: number | undefined };

export interface ShowOptions {
  readonly verbose: boolean;
  readonly showJid: boolean;
  readonly static: boolean;
  readonly summary: boolean;
  readonly hideMissing: boolean;
  /** For the next command that is printed: ` -c DIR` or `''`. */
  readonly configWords: string;
}

/** As the command line has it; undefined where it says nothing about the missing. */
type AskedShow = Omit<ShowOptions, 'hideMissing'> & { readonly hideMissing: boolean | undefined };

const MANY = 1_000_000;
const DEFAULT_DELIMITER = ':';

/** @returns the sentence for an incomplete command line (exit 42). @throws {UsageError} For one that makes no sense. */
export function requestOf(options: Options, words: readonly string[]): Result<Request, string> {
  const tgtType = targetTypeIn(options);
  const list = tgtType === 'list';
  const preview = options.flag('previewTarget');
  const [target, ...rest] = withDoc(options, words);
  if (target === undefined) return err('Cannot execute command without defining a target.');
  if (preview) return ok(request(options, tgtType, 'preview', { tgt: targetWord(target, list), funs: [], args: [] }));
  if (rest.length === 0) return err('Incomplete options passed.');
  const separator = options.text('argsSeparator');
  const rules = { list, noParse: options.list('parse'), ...(separator === undefined ? {} : { separator }) };
  const parsed = commandWords([target, ...rest], rules);
  if (!parsed.ok) return parsed;
  return ok(request(options, tgtType, options.flag('async') ? 'async' : 'publish', parsed.value));
}

function request(options: Options, tgtType: string, mode: Request['mode'], words: CommandWords): Request {
  // 0 means all of them, as for Salt.
  const subset = options.integer('subset', { min: 0, max: MANY });
  return {
    mode,
    ask: askOf(options, tgtType, words),
    show: showOf(options),
    batch: askedBatch(options),
    subset: subset === 0 ? undefined : subset,
    progress: options.flag('progress'),
  };
}

function askOf(options: Options, tgtType: string, words: CommandWords): Asked {
  const delimiter = options.text('delimiter') ?? DEFAULT_DELIMITER;
  const metadata = options.text('metadata') ?? '';
  return {
    ...words,
    tgtType,
    ...(delimiter === DEFAULT_DELIMITER ? {} : { delimiter }),
    timeout: options.timeout(),
    returner: returnerOf(options),
    returnerOptions: returnerOptionsOf(options),
    // As Salt's, it waits for whoever is at work, however long that takes.
    options: { [WAITS]: true, ...(metadata === '' ? {} : { metadata: yamlify(metadata) }) },
  };
}

function returnerOptionsOf(options: Options): JobAsk['returnerOptions'] {
  const tag = options.text('tag');
  if (tag === undefined) return {};
  if (!returnerOf(options).split(',').includes('master_bus')) throw new UsageError('--tag needs --return=master_bus');
  const problem = runnerTagProblem(`${tag}/id`);
  if (problem !== undefined) throw new UsageError(`--tag ${JSON.stringify(tag)} cannot be fired: ${problem}`);
  return { tag };
}

/** `none` asks for what happens anyway. */
function returnerOf(options: Options): string {
  const returner = options.text('return') ?? '';
  return returner === 'none' ? '' : returner;
}

/** `-d` puts `sys.doc` before the function, and means every minion where no target is given. */
function withDoc(options: Options, words: readonly string[]): readonly string[] {
  if (!options.flag('doc')) return words;
  const [target = '*', ...rest] = words;
  const functions = rest[0] === 'sys.doc' ? rest.slice(1) : rest;
  if (functions.length > 1) throw new UsageError('You can only get documentation for one method at one time.');
  return [target, 'sys.doc', ...functions];
}

/** What the configuration asks for is shown as well. */
export function shownBy(asked: AskedShow, { summary, showJid, showTimeout }: CommandDefaults): ShowOptions {
  return {
    ...asked,
    summary: asked.summary || summary,
    showJid: asked.showJid || showJid,
    hideMissing: asked.hideMissing ?? !showTimeout,
  };
}

function showOf(options: Options): AskedShow {
  return {
    verbose: options.flag('verbose'),
    showJid: options.flag('showJid'),
    static: options.flag('static'),
    summary: options.flag('summary'),
    hideMissing: options.flag('hideTimeout') ? true : options.flag('showTimeout') ? false : undefined,
    configWords: configWords(options),
  };
}
