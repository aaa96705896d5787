/** `config.*`: the master's settings, as far as they may be shown: no access lists, no addresses with passwords. */
import { DELIMITER, defineModule, traverseOr } from '@natrium/modules';
import { runner } from '../runner-registry.js';

export const configModule = defineModule('config', {
  get: runner(
    {
      doc: "One of the master's settings. Access lists and whatever could hold a secret are not shown.",
      params: [
        { name: 'key', type: 'str', doc: 'Name of the setting, nested with the delimiter.' },
        { name: 'default', type: 'any', default: '', doc: 'What to return when it is not there.' },
        DELIMITER,
      ],
      examples: ['config.get timeout', 'config.get nodegroups:web'],
    },
    ({ key, default: otherwise, delimiter }, { host }) => traverseOr(host.config, key, delimiter, otherwise),
  ),
});
