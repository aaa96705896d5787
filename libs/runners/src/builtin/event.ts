/** `event.*`: fires events on the master's bus. */
import { isMap, isTrue, type Value } from '@natrium/model';
import { defineModule, ExecutionError } from '@natrium/modules';
import { runner } from '../runner-registry.js';

export const eventModule = defineModule('event', {
  send: runner(
    {
      doc: "Fires an event on the master's bus, as it stands. Salt's own tags are not for runners.",
      params: [
        { name: 'tag', type: 'str', doc: 'Its tag.' },
        { name: 'data', type: 'any', default: null, doc: 'What it says: a map.' },
      ],
      returns: 'True, once it is stored',
      examples: [`event.send my/custom/event '{"foo": "bar"}'`],
    },
    async ({ tag, data }, { master }): Promise<Value> => {
      // What is empty is no data, as in Salt.
      const said = isTrue(data) ? data : {};
      if (!isMap(said)) throw new ExecutionError('the data of an event is a map');
      await master.fire(tag, said);
      return true;
    },
  ),
});
