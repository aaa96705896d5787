/** Owners of jobs, explanations. Rules of spec/acl.md. */
import type { Inventory } from '@natrium/matchers';
import type { Ask } from './ask.js';
import { compilePolicy } from './compile-policy.js';
import { explainRefusal } from './explain.js';
import { mayReadJob } from './job-owner.js';

describe('the returns of a job', () => {
  it('are for its caller alone', () => {
    expect(mayReadJob('web1', 'web1')).toBe(true);
    expect(mayReadJob('web1', 'web10')).toBe(false);
    expect(mayReadJob(undefined, 'web1')).toBe(false);
  });
});

describe('an explanation', () => {
  it('lists the nearest misses first', () => {
    const fleet: Inventory = { accepted: new Set(['web1', 'web2', 'db1']), dataOf: () => null };
    const { policy } = compilePolicy({
      peer: {
        web: ['test.*', { 'web1,web2': ['cmd.*'] }, { 'L@web1,web2': ['cmd.run', { 'cmd.r': { args: ['x'] } }] }],
      },
    });
    const misses = explainRefusal(
      policy,
      {
        principal: { kind: 'minion', name: 'web1' },
        what: 'job',
        funs: ['cmd.run'],
        args: [],
        target: { tgt: '*', tgtType: 'glob' },
      },
      fleet,
    );
    expect(misses.map(({ path, why, outside }) => [path.slice(2), why, outside])).toEqual([
      [[1, 'web1,web2', 0], 'target', ['web1', 'web2', 'db1']],
      [[2, 'L@web1,web2', 0], 'target', ['db1']],
      [[2, 'L@web1,web2', 1], 'arguments and target', ['db1']],
      [[0], 'function', undefined],
    ]);
  });

  it('says nothing of a function that every list permits', () => {
    const fleet: Inventory = { accepted: new Set(['web1']), dataOf: () => null };
    const { policy } = compilePolicy({ publisher_acl: { fred: ['test.*'] }, peer: { web: ['test.*'] } });
    const funs = ['saltutil.find_job', 'cmd.run'];
    const asked = { what: 'job', funs, args: [], target: { tgt: '*', tgtType: 'glob' } } as const;
    const account = { name: 'fred', listsOf: 'fred', byMasterKey: false };
    const missed = (ask: Ask) => explainRefusal(policy, ask, fleet).map(({ fun }) => fun);
    expect(missed({ ...asked, principal: { kind: 'account', name: 'fred' }, account })).toEqual(['cmd.run']);
    expect(missed({ ...asked, principal: { kind: 'minion', name: 'web1' } })).toEqual(funs);
  });
});
