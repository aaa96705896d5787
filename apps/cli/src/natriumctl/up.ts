import { type Options, refuseWords, UsageError } from '../common/options.js';
import type { UpOptions } from '../ports.js';
import { brokerAuthOf } from './init.js';
import type { Subcommand } from './subcommand.js';

const PORTS = { min: 0, max: 65_535 };
const MAX_REPLICAS = 64;

const EXAMPLES = `
Examples:
  natriumctl up --state /tmp/cluster --minions web1,web2,db1
  natriumctl up --state /tmp/cluster --replicas acl-service=2,master-gateway=2

Prints "ready" when every minion has answered a test.ping; Ctrl-C ends all processes.`;

export const up: Subcommand = {
  name: 'up',
  usage: '--state <dir> [options]',
  summary: 'start a whole encrypted cluster on this machine: broker, services, minions',
  declare: (command) => {
    command.option('--state <dir>', 'folder that holds the cluster, made when missing; no two run on one at a time');
    command.option('--minions <ids>', 'minions to start, divided by commas');
    command.option('--replicas <list>', 'processes of a service: acl-service=2,master-gateway=3');
    command.option(
      '--nats-port <port>',
      'port of the broker, 0: a free one (default: that of last time, or a free one)',
    );
    command.option('--http-port <port>', 'port of the HTTP API, 0: a free one; further gateways take the next ones');
    command.option('--broker-auth <how>', 'jwt: the broker asks who comes; none: it does not (default: jwt)');
    command.option('--tls', 'TLS to the broker, with a CA of its own');
    command.option(
      '--master-config <file>',
      'a master file to use, as /etc/salt/master: copied, with what counts beside it, over those of last time, which are kept',
    );
    command.addHelpText('after', EXAMPLES);
  },
  run: (options, words, io, ports) => ports.up(upOptions(options, words), io),
};

function upOptions(options: Options, words: readonly string[]): UpOptions {
  refuseWords(words);
  const state = options.text('state');
  if (state === undefined || state === '')
    throw new UsageError('option --state: name the folder that holds the cluster');
  const natsPort = options.integer('natsPort', PORTS);
  const httpPort = options.integer('httpPort', PORTS);
  const masterConfig = options.text('masterConfig');
  const auth = brokerAuthOf(options);
  return {
    state,
    minions: minionsOf(options),
    replicas: Object.fromEntries(options.list('replicas').map(replica)),
    ...(natsPort === undefined ? {} : { natsPort }),
    ...(httpPort === undefined ? {} : { httpPort }),
    ...(masterConfig === undefined ? {} : { masterConfig }),
    ...(auth === undefined ? {} : { brokerAuth: auth }),
    ...(options.flag('tls') ? { tls: true } : {}),
  };
}

function minionsOf(options: Options): readonly string[] {
  const minions = options.list('minions');
  const twice = minions.find((id, at) => minions.indexOf(id) !== at);
  if (twice !== undefined) throw new UsageError(`option --minions: ${twice} is there twice`);
  return minions;
}

function replica(word: string): readonly [string, number] {
  const [, service, digits] = /^([a-z][a-z-]*)=(\d{1,3})$/.exec(word) ?? [];
  const count = Number(digits);
  if (service !== undefined && count >= 1 && count <= MAX_REPLICAS) return [service, count];
  throw new UsageError(
    `option --replicas: '${word}' is not service=number, as acl-service=2 (at most ${String(MAX_REPLICAS)})`,
  );
}
