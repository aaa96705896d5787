/** `error.*`: a runner that fails as it is told to, for tests of whoever hears of it. */
import { pyStr, type Value } from '@natrium/model';
import { defineModule } from '@natrium/modules';
import { runner } from '../runner-registry.js';

export const errorModule = defineModule('error', {
  error: runner(
    {
      doc: 'Fails with an exception of a name and a message.',
      params: [
        { name: 'name', type: 'any', default: null, doc: 'Of the exception.' },
        { name: 'message', type: 'str', default: '' },
      ],
      returns: 'an empty map, where no name is given',
      examples: ['error.error', 'error.error name=Exception message="This is an error."'],
    },
    ({ name, message }): Value => {
      if (name === null) return {};
      throw Object.assign(new Error(message), { name: pyStr(name) || 'Exception' });
    },
  ),
});
