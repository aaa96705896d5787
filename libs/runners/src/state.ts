/**
 * `state.*`: Salt's orchestration, which Natrium has not. What can be listed is an empty map, and the rest says so plainly:
 * SaltGUI asks for the list at each login. (`natrium-run state.event` listens at the client's own end.)
 */
import { defineModule, ExecutionError } from '@natrium/modules';
import { runner } from './runner-registry.js';

const ANYTHING = [{ rest: 'args' }, { kwargs: 'kwargs' }] as const;

function absent(example: string) {
  return runner({ doc: 'Says that there are no orchestrations here.', params: ANYTHING, examples: [example] }, () => {
    throw new ExecutionError('Natrium has no orchestrations: it runs commands, and does not manage configurations');
  });
}

export const stateModule = defineModule('state', {
  orchestrate_show_sls: runner(
    {
      doc: 'The orchestrations: there are none.',
      params: ANYTHING,
      returns: 'an empty map',
      examples: ['state.orchestrate_show_sls web'],
    },
    () => ({}),
  ),
  orchestrate: absent('state.orchestrate web'),
  orchestrate_single: absent('state.orchestrate_single salt.wheel key.list_all'),
});
