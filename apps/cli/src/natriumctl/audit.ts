import { configDirOf } from '../common/common-options.js';
import { type Options, UsageError } from '../common/options.js';
import type { AuditOptions, Io } from '../ports.js';
import type { Subcommand } from './subcommand.js';

const VERBS = ['tail', 'verify', 'export'] as const;
const LAST = 10;
const LIMITS = { min: 0, max: 1000 };

const EXAMPLES = `
Examples:
  natriumctl audit tail -f
  natriumctl audit verify
  natriumctl audit export audit.jsonl && natriumctl audit verify audit.jsonl

verify exits with 0 when all is intact, 1 when it found something, 69 when there is no master.`;

export const audit: Subcommand = {
  name: 'audit',
  usage: 'tail [-f] | verify [<file>] | export <file>',
  verbs: ['tail', 'verify', 'export'],
  summary: 'who was allowed and refused what: follow it, verify it, copy it',
  declare: (command) => {
    command.option('-f, --follow', 'tail: go on with what comes');
    command.option('-n, --last <count>', `tail: begin with so many records (default: ${LAST})`);
    command.option('--json', 'one JSON object a line');
    command.option('--heads <file>', 'verify: a log of an acl-service, for the signed heads in it');
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
  if (verb === 'export' && file === undefined) throw new UsageError('export: name the file to write');
  return {
    configDir: configDirOf(options, io),
    verb,
    file,
    heads: options.text('heads'),
    follow: options.flag('follow'),
    json: options.flag('json'),
    last: options.integer('last', LIMITS) ?? LAST,
  };
}
