/** `file.*` that changes what files hold. Where `backup=minion` is given, what was there is kept under the cachedir. */
import { truncate } from 'node:fs/promises';
import { isList, isTrue, pyStr, type Value } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import type { ArgumentsOf } from '../loader/declaration.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';
import { replacing } from '../patterns/match-apart.js';
import { appendText, kindOf, onDisk, readWhole, refuseLink, wholePath, writeWhole } from './file-access.js';
import { deleteBackup, keepBackup, restoreBackup, wantsBackup } from './file-backups.js';
import { BUFSIZE, FLAGS, flagsOf, PATH, readFound } from './file-read.js';
import { unifiedDiff } from './unified-diff.js';

const BACKUP = {
  name: 'backup',
  type: 'any',
  default: null,
  keyword: true,
  doc: '`minion` keeps what was there; see file.list_backups.',
} as const;
const LINES = [
  PATH,
  { rest: 'lines', doc: 'Its lines.' },
  { name: 'args', type: 'any', default: null, keyword: true, doc: 'The lines as one list.' },
  BACKUP,
] as const;
const ID = [PATH, { name: 'backup_id', type: 'int', doc: 'As file.list_backups numbers them.' }] as const;

export const fileWriting = {
  write: fn(
    {
      doc: 'Writes lines to a file in the place of what it held.',
      params: LINES,
      examples: ["file.write /etc/motd 'first line' 'second line'", 'file.write /etc/motd hello backup=minion'],
    },
    (ask, context) => withLines(ask, context, (text) => writeWhole(ask.path, text)),
  ),
  append: fn(
    {
      doc: 'Appends lines to a file that is there; a last line without an end is ended first.',
      params: LINES,
      examples: ["file.append /etc/motd 'one more line'"],
    },
    (ask, context) => withLines(ask, context, (text) => appendText(ask.path, text)),
  ),
  prepend: fn(
    {
      doc: 'Puts lines before those of a file; one that is not there is made.',
      params: LINES,
      examples: ["file.prepend /etc/motd 'the first line'"],
    },
    (ask, context) => withLines(ask, context, (text) => prependText(ask.path, text), 'Prepended'),
  ),
  truncate: fn(
    {
      doc: 'Cuts a file off at a length in bytes.',
      params: [PATH, { name: 'length', type: 'int' }, BACKUP],
      returns: 'None',
      examples: ['file.truncate /var/log/some.log 512'],
    },
    async ({ path, length, backup }, context) => {
      if (length < 0) throw new InvocationError('a length is 0 bytes or more');
      if (wantsBackup(backup)) await keepBackup(path, context);
      if ((await kindOf(path)) !== 'file') throw new ExecutionError(`${path} is not a regular file`);
      await onDisk(path, () => truncate(path, length));
      return null;
    },
  ),
  replace: fn(
    {
      doc: 'Replaces what fits a regular expression. The file stays the same one, and what it held is kept as a backup.',
      params: [
        PATH,
        { name: 'pattern', type: 'str', doc: 'As Python writes it; one that takes too long is given up.' },
        { name: 'repl', type: 'str', doc: 'With \\1 and \\g<name> for groups.' },
        { name: 'count', type: 'int', default: 0, doc: 'At most so many; 0 means all.' },
        FLAGS,
        BUFSIZE,
        { name: 'append_if_not_found', type: 'bool', default: false, doc: 'Append the text when nothing fits.' },
        { name: 'prepend_if_not_found', type: 'bool', default: false, doc: 'Put it in front when nothing fits.' },
        { name: 'not_found_content', type: 'any', default: null, doc: 'That text, where it is not `repl`.' },
        { name: 'backup', type: 'any', default: 'minion', doc: '`minion`, or False for none.' },
        { name: 'dry_run', type: 'bool', default: false, doc: 'Only show what would change.' },
        { name: 'search_only', type: 'bool', default: false, doc: 'Only tell whether something fits.' },
        { name: 'show_changes', type: 'bool', default: true, doc: 'Return a diff; else whether something changed.' },
        { name: 'ignore_if_missing', type: 'bool', default: false, doc: 'False when there is no file.' },
        { name: 'preserve_inode', type: 'bool', default: true, doc: 'Changes nothing: it stays the same file.' },
        { name: 'backslash_literal', type: 'bool', default: false, doc: 'Backslashes in `repl` are nothing but that.' },
      ],
      returns: 'a diff, empty when nothing changed; or True or False',
      examples: [
        "file.replace /etc/some.conf '^port=.*' 'port=8080'",
        "file.replace /etc/a '(x)' '[\\1]' dry_run=True",
      ],
    },
    (ask, context) => replace(ask, context),
  ),
  restore_backup: fn(
    {
      doc: 'Puts an earlier content back; what the file holds now is kept as a backup first.',
      params: ID,
      examples: ['file.restore_backup /etc/motd 0'],
    },
    ({ path, backup_id: id }, context) => restoreBackup(path, id, context),
  ),
  delete_backup: fn(
    { doc: 'Removes one backup.', params: ID, examples: ['file.delete_backup /etc/motd 0'] },
    ({ path, backup_id: id }, context) => deleteBackup(path, id, context),
  ),
} as const;

function linesOf(lines: readonly Value[], args: Value): readonly string[] {
  const given = args === null ? lines : isList(args) ? args : [args];
  return given.map(pyStr);
}

async function withLines(
  { path, lines: given, args, backup }: ArgumentsOf<typeof LINES>,
  context: CallContext,
  put: (text: string) => Promise<void>,
  did = 'Wrote',
): Promise<string> {
  const lines = linesOf(given, args);
  if (wantsBackup(backup)) await keepBackup(wholePath(path), context);
  await put(lines.map((line) => `${line}\n`).join(''));
  return `${did} ${lines.length} lines to "${path}"`;
}

async function prependText(path: string, text: string): Promise<void> {
  const before = (await kindOf(path)) === undefined ? '' : await readWhole(path);
  await writeWhole(path, text + before);
}

interface Replacement {
  readonly path: string;
  readonly pattern: string;
  readonly repl: string;
  readonly count: number;
  readonly flags: Value;
  readonly append_if_not_found: boolean;
  readonly prepend_if_not_found: boolean;
  readonly not_found_content: Value;
  readonly backup: Value;
  readonly dry_run: boolean;
  readonly search_only: boolean;
  readonly show_changes: boolean;
  readonly ignore_if_missing: boolean;
  readonly backslash_literal: boolean;
}

async function replace(ask: Replacement, context: CallContext): Promise<Value> {
  const { path, pattern, count, flags } = ask;
  if (ask.search_only && (ask.append_if_not_found || ask.prepend_if_not_found))
    throw new InvocationError('search_only cannot be used with append/prepend_if_not_found');
  if (ask.append_if_not_found && ask.prepend_if_not_found)
    throw new InvocationError('Only one of append and prepend_if_not_found is permitted');
  const keep = wantsBackup(ask.backup);
  await refuseLink(path);
  if (ask.ignore_if_missing && (await kindOf(path)) === undefined) return false;
  const before = await readFound(path);
  const repl = ask.backslash_literal ? ask.repl.replaceAll('\\', '\\\\') : ask.repl;
  const { text, found } = await replacing({ source: pattern, flags: flagsOf(flags) }, before, repl, count);
  if (ask.search_only) return found > 0;
  const after = found > 0 ? text : withMissing(before, ask);
  if (after !== before && !ask.dry_run) {
    if (keep) await keepBackup(path, context);
    await writeWhole(path, after);
  }
  return ask.show_changes ? unifiedDiff(before, after) : after !== before;
}

/** Content that is there already, as a line of its own or several, is not put in again, also where its last line ends in CRLF. */
function withMissing(before: string, ask: Replacement): string {
  const content = pyStr(isTrue(ask.not_found_content) ? ask.not_found_content : ask.repl).replace(/\n$/, '');
  const lines = `\n${before}\n`;
  if (lines.includes(`\n${content}\n`) || lines.includes(`\n${content}\r\n`)) return before;
  if (ask.prepend_if_not_found) return `${content}\n${before}`;
  if (!ask.append_if_not_found) return before;
  return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${content}\n`;
}
