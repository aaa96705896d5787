import type { Value } from '@natrium/model';
import { fleetOf } from '../fleet.js';
import { showPath, viewPolicy } from '../policy-view.js';
import { lintPolicy } from './lint.js';

function told(...entries: readonly Value[]): readonly string[] {
  return lintPolicy(viewPolicy({ external_auth: { pam: { ops: entries } } }), fleetOf(['web1', 'db1'])).map(
    ({ severity, path, message, mend }) => `${severity} ${showPath(path)}: ${message}; ${mend ?? ''}`,
  );
}

describe('an entry whose target and functions are exchanged', () => {
  it.each<[Value, string]>([
    [{ 'test.ping': ['web*', 'db*'] }, "- 'web*': [test.ping] and - 'db*': [test.ping]"],
    [{ 'cmd.run': ['db1'] }, "- 'db1': [cmd.run]"],
    [{ 'cmd.run': 'db1' }, "- 'db1': [cmd.run]"],
    [{ 'cmd.run': ['db1, db2'] }, "- 'L@db1,db2': [cmd.run]"],
    [{ 'state.apply': ['.*'] }, "- '*': [state.apply]"],
    [{ 'test\\.ping$': ['G@os:Debian'] }, "- 'G@os:Debian': [test\\.ping$]"],
    [{ 'test.*': ['web*'] }, "- 'web*': [test.*]"],
  ])('is told of once, with every item a key: %j', (entry, mend) => {
    expect(told(entry)).toEqual([
      `warning external_auth.pam.ops[0]: target and functions look exchanged; write ${mend}`,
    ]);
  });

  it('is told of in the problem where an item is no pattern', () => {
    expect(told({ 'test.ping': ['*', 'web*'] })).toEqual([
      "problem external_auth.pam.ops[0].test.ping[0]: the pattern '*' cannot be used: there is nothing that * could repeat; target and functions look exchanged: write - '*': [test.ping] and - 'web*': [test.ping]",
    ]);
  });

  it('is none where a minion is called so', () => {
    const view = viewPolicy({ external_auth: { pam: { ops: [{ 'docker.build': ['.*'] }] } } });
    const found = lintPolicy(view, fleetOf(['docker.build'])).map(({ message }) => message);
    expect(found.join()).not.toContain('exchanged');
    expect(found).toContain("'.*' covers every function of every module, cmd.run among them");
  });

  it('is not told of as a repetition', () => {
    expect(told({ 'cmd.run': ['web1'] }, { 'cmd.run': ['web1'] })).toHaveLength(2);
  });
});

it.each<[Value]>([
  [{ 'web*': ['test\\.ping$'] }],
  [{ 'test.ping': ['pkg\\.'] }],
  [{ 'test.ping': ['web*', 'pkg\\.'] }],
  [{ 'test.ping': [{ 'web*': { args: ['x$'] } }] }],
  [{ 'test.*': ['.*'] }],
  [{ 'test.*': ['deploy\\.run$'] }],
  [{ 'test.example': ['deploy*'] }],
  [{ '@jobs': ['list_jobs$'] }],
  [{ 'test.ping': [] }],
])('an entry that may mean what it says is not said to be exchanged: %j', (entry) => {
  expect(told(entry).join()).not.toContain('exchanged');
});
