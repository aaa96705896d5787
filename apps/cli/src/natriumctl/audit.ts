import { configDirOf } from '../common/common-options.js';
import { type Options, UsageError } from '../common/options.js';
import type { AuditOptions, Io } from '../ports.js';
import type { Subcommand } from './subcommand.js';

const VERBS = ['tail', 'verify', 'export', 'archive'] as const;
const LAST = 10;
const LIMITS = { min: 0, max: 1000 };

const EXAMPLES = `
Examples:
  natriumctl audit tail -f
  natriumctl audit verify
  natriumctl audit export audit.jsonl && natriumctl audit verify audit.jsonl
  natriumctl audit archive --dry-run
  natriumctl audit archive /srv/audit/$(date +%F).jsonl

archive moves what is older than audit_archive_after, in the master's configuration, into a new file, and deletes
it in the cluster; nothing where verify would find anything.
verify exits with 0 when all is intact, 1 when it found something, 69 when there is no master.`;

export const audit: Subcommand = {
  name: 'audit',
  usage: 'tail [-f] | verify [<file>] | export <file>|- | archive <file>',
  verbs: VERBS,
  summary: 'who was allowed and refused what: follow it, verify it, copy it, archive it',
  declare: (command) => {
    command.option('-f, --follow', 'tail: go on with what comes');
    command.option('-n, --last <count>', `tail: begin with so many records (default: ${LAST})`);
    command.option('--json', 'one JSON object a line');
    command.option('--heads <file>', 'verify, archive: a log of an acl-service, for the signed heads in it');
    command.option('--dry-run', 'archive: only say what would be moved');
    command.addHelpText('after', EXAMPLES);
  },
  run: (options, words, io, ports) => ports.audit(auditOptions(options, words, io), io),
};

function auditOptions(options: Options, words: readonly string[], io: Io): AuditOptions {
  const [word, file, ...more] = words;
  const verb = VERBS.find((one) => one === word);
  if (verb === undefined) throw new UsageError(`say what to do: ${VERBS.join(', ')}`);
  if (more.length > 0 || (verb === 'tail' && file !== undefined))
    throw new UsageError(`unexpected argument '${more[0] ?? file ?? ''}'`);
  const dryRun = options.flag('dryRun');
  if (dryRun && verb !== 'archive') throw new UsageError('option --dry-run: archive alone has it');
  if (file === undefined && (verb === 'export' || (verb === 'archive' && !dryRun)))
    throw new UsageError(`${verb}: name the file to write`);
  if (file === '-' && verb !== 'export') throw new UsageError(`${verb}: - is no file (only export has it, for stdout)`);
  return {
    configDir: configDirOf(options, io),
    verb,
    file,
    heads: options.text('heads'),
    follow: options.flag('follow'),
    dryRun,
    json: options.flag('json'),
    last: options.integer('last', LIMITS) ?? LAST,
  };
}
