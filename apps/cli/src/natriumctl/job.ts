import { MAX_TIMEOUT, parseJid } from '@natrium/model';
import { addOutputOptions, configDirOf, configWords } from '../common/common-options.js';
import { type Options, UsageError } from '../common/options.js';
import { makePrinter } from '../common/printer.js';
import { withMaster } from '../common/with-master.js';
import type { Subcommand } from './subcommand.js';

const DEFAULT_TIMEOUT = 60;

const EXAMPLES = `
Examples:
  natrium '*' pkg.upgrade --async                prints the jid
  natriumctl job follow 20261120112404639750     prints what came, then what comes
  natriumctl job follow 20261120112404639750 -t 3600 --out jsonl

It asks the runners jobs.list_job and jobs.active, so the account needs both. It ends when all have returned, when nobody
works on the job any more, or after the time of -t; Ctrl-C ends it too, and the job goes on. A master that is away
meanwhile is waited for.
Exit codes as of natrium: 0 all returned well, 1 something failed or is missing, or there is no such job.`;

/** The following itself is loaded when it is asked for. */
export const job: Subcommand = {
  name: 'job',
  usage: 'follow <jid> [options]',
  verbs: ['follow'],
  summary: 'follow a job that was started with --async, or left with Ctrl-C',
  declare: (command) => {
    command.option('-t, --timeout <seconds>', `how long to wait for the rest (default: ${String(DEFAULT_TIMEOUT)})`);
    command.option('-s, --static', 'print all results as one, at the end');
    command.option('--summary', 'end with a count of who returned');
    addOutputOptions(command);
    command.addHelpText('after', EXAMPLES);
  },
  run: async (options, words, io, ports) => {
    const jid = jidIn(words);
    const timeout = options.integer('timeout', { min: 0, max: MAX_TIMEOUT }) ?? DEFAULT_TIMEOUT;
    const printer = makePrinter(options, io);
    const { followStored } = await import('../natrium/follow-stored.js');
    return withMaster(ports.connectMaster, options, io, async (link) => {
      const ears = await ports.hearJob(configDirOf(options, io), jid); // before the first look, which misses nothing then
      try {
        return await followStored(jid, timeout * 1000, { link, printer, io, ears, show: showOf(options) });
      } finally {
        ears?.close();
      }
    });
  },
};

function jidIn([verb, jid, ...more]: readonly string[]): string {
  if (verb !== 'follow' || jid === undefined || more.length > 0)
    throw new UsageError('say what to do: natriumctl job follow <jid>');
  if (parseJid(jid) === undefined) throw new UsageError(`'${jid}' is not a jid: 20 digits`);
  return jid;
}

function showOf(options: Options) {
  return {
    verbose: false,
    showJid: false,
    static: options.flag('static'),
    summary: options.flag('summary'),
    hideMissing: false,
    configWords: configWords(options),
  };
}
