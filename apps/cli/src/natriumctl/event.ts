import { configDirOf } from '../common/common-options.js';
import { type Options, UsageError } from '../common/options.js';
import type { EventOptions, Io } from '../ports.js';
import type { Subcommand } from './subcommand.js';

const VERBS = ['tail', 'replay', 'fire'] as const;
const MAX_COUNT = { min: 1, max: 1_000_000_000 };

const EXAMPLES = `
Examples:
  natriumctl event tail salt/job/                what comes, of tags that begin so
  natriumctl event tail 'mon*/disk' --match fnmatch
  natriumctl event tail --state /var/lib/mine/cursor     everything that was missed since the last time, then what comes
  natriumctl event replay --from 2026-11-20T08:00:00Z    what is kept since then, and no more
  natriumctl event replay --from start salt/key
  natriumctl event fire my/tag '{"foo": "bar"}'

It talks to the bus of this host (master_event.sock in sock_dir), which belongs to the master's account; event_acl opens tags
to others. A line natrium/gap says that events are missing in its place.
Exit codes: 0 done, 1 refused, 69 no bus on this host, or it went away before a replay was over, 130 Ctrl-C.`;

export const event: Subcommand = {
  name: 'event',
  usage: 'tail [<tag>…] | replay [<tag>…] | fire <tag> [<data>]',
  verbs: VERBS,
  summary: 'the event bus: listen to it, hear again what it said, fire an event',
  declare: (command) => {
    command.option('--match <how>', 'how tags are meant: startswith (default), endswith, find, fnmatch, regex, expr');
    command.option('--from <where>', 'begin at "start", a cursor or a time (default of tail: now, of replay: start)');
    command.option('--state <file>', 'keep the place in a file, and go on from there');
    command.option('-n, --count <count>', 'end after so many events');
    command.option('--pretty', 'JSON over many lines');
    command.option('--socket <path>', 'another socket than that of the configuration');
    command.addHelpText('after', EXAMPLES);
  },
  run: (options, words, io, ports) => ports.event(eventOptions(options, words, io), io),
};

function eventOptions(options: Options, [word, ...words]: readonly string[], io: Io): EventOptions {
  const verb = VERBS.find((one) => one === word);
  if (verb === undefined) throw new UsageError(`say what to do: ${VERBS.join(', ')}`);
  if (verb === 'fire' && (words.length === 0 || words.length > 2))
    throw new UsageError('fire: a tag, and data as JSON');
  if (options.text('state') === '') throw new UsageError('option --state: name the file');
  if (options.text('socket') === '') throw new UsageError('option --socket: name the socket');
  return {
    configDir: configDirOf(options, io),
    verb,
    words,
    match: options.text('match'),
    from: options.text('from'),
    stateFile: options.text('state'),
    pretty: options.flag('pretty'),
    count: options.integer('count', MAX_COUNT),
    socket: options.text('socket'),
  };
}
