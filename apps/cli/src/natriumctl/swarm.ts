import { configDirOf } from '../common/common-options.js';
import { type Options, refuseWords, UsageError } from '../common/options.js';
import type { SwarmOptions } from '../ports.js';
import type { Subcommand } from './subcommand.js';

const DEFAULT_PREFIX = 'swarm';
const MOST = 100_000;
const MOST_PROCESSES = 256;
const LONGEST_DELAY_MS = 600_000;

const EXAMPLES = `
For sizing a cluster, on its own machine or another. Each minion has its own key, which this account (it needs full access)
enrols, its own user of the broker, and checks, runs and returns as an agent does. They have the modules test, grains, pillar
and sys, touch nothing of this host, and keep nothing on its disk. In one process the signature of a grant's very bytes is
checked once, hello is said once, and one connection listens for announcements: the figures are those of such minions.

Prints "ready" when every one of them has answered a test.ping; Ctrl-C ends all processes. Their keys stay accepted until
--forget, or until the next swarm of that name, which takes them away first.

Examples:
  natriumctl swarm --minions 1000 -c /etc/natrium
  natrium 'swarm*' test.ping --summary --out quiet
  natriumctl swarm --forget                      takes away what a swarm has left`;

export const swarm: Subcommand = {
  name: 'swarm',
  usage: '--minions <n> [options]',
  summary: 'simulate many minions against a cluster, to see what it can carry',
  declare: (command) => {
    command.option('--minions <n>', 'how many');
    command.option('--processes <n>', 'processes that share them (default: one for each core, and 500 minions)');
    command.option('--prefix <name>', `their ids are this and a number (default: ${DEFAULT_PREFIX})`);
    command.option(
      '--connections <n>',
      'connections that they share, where the broker has no users (default: one each)',
    );
    command.option('--answer-delay <ms>', 'how long each of them seems to work on a job (default: 0)');
    command.option('--forget', 'delete their keys at the end; without --minions: those that a swarm has left');
    command.addHelpText('after', EXAMPLES);
  },
  run: (options, words, io, ports) => {
    refuseWords(words);
    return ports.swarm({ configDir: configDirOf(options, io), ...swarmOptions(options) }, io);
  },
};

function swarmOptions(options: Options): Omit<SwarmOptions, 'configDir'> {
  const minions = options.integer('minions', { min: 1, max: MOST });
  const forget = options.flag('forget');
  if (minions === undefined && !forget) throw new UsageError('option --minions: say how many minions to simulate');
  const processes = options.integer('processes', { min: 1, max: MOST_PROCESSES });
  const connections = options.integer('connections', { min: 1, max: MOST });
  const answerDelayMs = options.integer('answerDelay', { min: 0, max: LONGEST_DELAY_MS }) ?? 0;
  const prefix = options.text('prefix') ?? DEFAULT_PREFIX;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(prefix))
    throw new UsageError(`option --prefix: '${prefix}' is not letters, digits, '.', '_' or '-' (at most 63)`);
  return {
    minions: minions ?? 0,
    prefix,
    answerDelayMs,
    forget,
    ...(processes === undefined ? {} : { processes }),
    ...(connections === undefined ? {} : { connections }),
  };
}
