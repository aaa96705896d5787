/**
 * Salt's modules of configuration management that Natrium has not: it is a bus and a gate. What can be listed is an empty
 * list, and the rest says so plainly, so that a script learns it from a sentence and not from a missing function.
 */
import { ANYTHING, defineModule } from '../loader/declaration.js';
import { ExecutionError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';

function absent(what: string, example: string) {
  return fn({ doc: `Says that there are no ${what} here.`, params: ANYTHING, examples: [example] }, () => {
    throw new ExecutionError(`Natrium has no ${what}: it runs commands, and does not manage configurations`);
  });
}

function none(what: string, example: string) {
  return fn(
    { doc: `The ${what}: there are none.`, params: ANYTHING, returns: 'an empty map', examples: [example] },
    () => ({}),
  );
}

export const scheduleModule = defineModule('schedule', { list: none('schedules', 'schedule.list') });

export const beaconsModule = defineModule('beacons', {
  list: none('beacons', 'beacons.list'),
  list_available: fn(
    {
      doc: 'The names of the beacons that could be had: there are none.',
      params: ANYTHING,
      returns: 'an empty list',
      examples: ['beacons.list_available'],
    },
    () => [],
  ),
});

export const stateModule = defineModule('state', {
  apply: absent('states', 'state.apply'),
  highstate: absent('states', 'state.highstate'),
  sls: absent('states', 'state.sls web'),
  sls_id: absent('states', 'state.sls_id vim web'),
  single: absent('states', 'state.single pkg.installed name=vim'),
  show_sls: absent('states', 'state.show_sls web'),
  show_highstate: absent('states', 'state.show_highstate'),
  show_top: absent('states', 'state.show_top'),
  running: fn(
    { doc: 'The states that run now: there are none.', returns: 'an empty list', examples: ['state.running'] },
    () => [],
  ),
});
