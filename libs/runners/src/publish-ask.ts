/** What a runner publishes to gather what minions return: it waits as long as the master's `timeout` says, as Salt's do. */
import type { PublishAsk } from '@natrium/modules';
import type { RunnerHost } from './runner-context.js';

type Asked = Pick<PublishAsk, 'tgt' | 'fun' | 'arg' | 'tgtType'>;

export function publishAsk(asked: Asked, { config }: Pick<RunnerHost, 'config'>): PublishAsk {
  return {
    ...asked,
    returner: '',
    timeout: config['timeout'] ?? null,
    form: 'clean',
    noParse: [], // nothing is read again: what the runner got is sent as it is
  };
}
