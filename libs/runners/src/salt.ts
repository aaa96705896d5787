/**
 * `salt.cmd`: an execution function on the runner's own host.
 *
 * Diverges: Salt runs any function there, as the master's user. Here only those that read, change nothing and end soon:
 * whoever may run runners shall not thereby hold the master's host.
 */
import { joinArguments } from '@natrium/model';
import { defineModule, ExecutionError, reply } from '@natrium/modules';
import { executionLibrary } from './execution-library.js';
import { runner } from './runner-registry.js';

const READING: ReadonlySet<string> = new Set([
  ...['arg', 'arg_clean', 'arg_repr', 'arg_type', 'echo', 'false', 'kwarg', 'none', 'ping', 'providers', 'true'].map(
    (name) => `test.${name}`,
  ),
  ...['version', 'versions', 'versions_information', 'versions_report'].map((name) => `test.${name}`),
  ...['equals', 'get', 'has_value', 'item', 'items', 'keys', 'ls'].map((name) => `grains.${name}`),
  ...['argspec', 'doc', 'list_functions', 'list_modules'].map((name) => `sys.${name}`),
]);

export const saltModule = defineModule('salt', {
  cmd: runner(
    {
      doc: "Runs an execution function on the runner's own host: only test, grains and sys functions that read.",
      params: [
        { name: 'fun', type: 'str', doc: 'The execution function.' },
        { rest: 'args', doc: 'Its arguments.' },
        {
          name: 'with_pillar',
          type: 'bool',
          default: false,
          keyword: true,
          doc: 'Not needed: nothing that it runs reads pillar.',
        },
        { kwargs: 'kwargs', doc: 'Its named arguments.' },
      ],
      returns: 'what the function returns',
      examples: ['salt.cmd test.ping', 'salt.cmd grains.get os'],
    },
    async ({ fun, args, kwargs }, { host, caller, jid, signal }) => {
      if (!READING.has(fun)) {
        throw new ExecutionError(`salt.cmd does not run ${fun}: on the master's host only ${[...READING].join(', ')}`);
      }
      const context = { id: host.id, jid, grains: host.grains, config: host.config, caller, signal };
      const { ret, retcode, out } = await executionLibrary.execute(
        fun,
        joinArguments({ positional: args, named: kwargs }),
        context,
      );
      return reply(ret, { retcode, ...(out === undefined ? {} : { out }) });
    },
  ),
});
