/** `reactor.*`: what events set off is in the master's file, and changes with a restart; one replica claims each reaction. */
import { defineModule } from '@natrium/modules';
import { allNotHere } from '../not-here.js';
import { runner } from '../runner-registry.js';

const FILE = 'what events set off is the section reactor of the master file, which counts from the next start on';
const LEADER = 'no runner-service leads: each hears all events, and one of them claims each reaction';

export const reactorModule = defineModule('reactor', {
  list: runner(
    {
      doc: 'The reactions, by the tags that set them off, as the master file says them.',
      params: [
        { name: 'saltenv', type: 'str', default: 'base', doc: 'Changes nothing: there is none.' },
        { name: 'test', type: 'any', default: null, doc: 'Changes nothing.' },
      ],
      returns: 'a list of maps, of one tag each; an empty one where there are none',
      examples: ['reactor.list'],
    },
    (_, { host }) => host.config['reactor'] ?? [],
  ),
  ...allNotHere(FILE, 'reactor', ['add', 'delete']),
  ...allNotHere(LEADER, 'reactor', ['is_leader', 'set_leader']),
});
