/** Why there is no connection to the broker, as the commands say it. */
import { whyNoBroker } from '@natrium/bus';
import { brokerTlsProblem, type MasterConfig, problemSentence, shownAddress } from '@natrium/config';
import { EXIT } from '../common/exit-codes.js';
import type { ConnectProblem } from '../ports.js';

/** Where a connection is a step of something else. */
export class NoBroker extends Error {
  override readonly name = 'NoBroker';
  readonly code = 'ERR_NO_BROKER';
  constructor(
    readonly problem: ConnectProblem,
    options?: ErrorOptions,
  ) {
    super(problem.sentence, options);
  }
}

const START = 'start the broker and the services, or correct nats';

/** @param error What a connection, or a question to the broker, failed with. */
export function whyNot(error: unknown, config: MasterConfig): ConnectProblem {
  const said = error instanceof Error ? `${error.name} ${error.message}` : '';
  const where = config.nats.map(shownAddress).join(', ');
  const unusable = brokerTlsProblem(config);
  if (unusable !== undefined) return { sentence: problemSentence(unusable), exit: EXIT.badConfig };
  if (!/authoriz|authentic/i.test(said)) return { mend: START, ...whyNoBroker(error, where), exit: EXIT.unavailable };
  return config.broker_auth === 'none'
    ? {
        sentence: `the broker at ${where} wants to know who comes: set broker_auth: jwt`,
        exit: EXIT.unavailable,
        mend: 'set broker_auth: jwt',
      }
    : {
        sentence: `the broker at ${where} does not know this account`,
        exit: EXIT.unavailable,
        mend: 'see that nats names the broker of this cluster, and that it runs with the server.conf that natriumctl init made',
      };
}
