/**
 * `state.*`: Salt's orchestration, which Natrium has not. SaltGUI asks for the list at each login, so it is there and empty.
 * (`natrium-run state.event` listens at the client's own end.)
 */
import { ANYTHING, defineModule } from '@natrium/modules';
import { notHere } from '../not-here.js';
import { runner } from '../runner-registry.js';

const WHY = 'Natrium runs commands, and does not manage configurations';

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
  orchestrate: notHere(WHY, 'state.orchestrate'),
  orch: notHere(WHY, 'state.orch'),
  sls: notHere(WHY, 'state.sls'),
  orchestrate_single: notHere(WHY, 'state.orchestrate_single'),
});
