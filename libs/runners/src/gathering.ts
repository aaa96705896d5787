/** What a runner publishes to gather what minions return: it waits as long as the master's `timeout` says, as Salt's do. */
import type { PublishAsk } from '@natrium/modules';
import type { RunnerHost } from './runner-context.js';

type Asked = Pick<PublishAsk, 'tgt' | 'fun' | 'arg' | 'tgtType'>;

export function gathering(asked: Asked, { config }: Pick<RunnerHost, 'config'>): PublishAsk {
  return {
    ...asked,
    returner: '',
    timeout: config['timeout'] ?? null,
    form: 'clean',
    // What the runner got is already read; a minion shall get the very same.
    noParse: asked.arg.map((_, place) => place),
  };
}
