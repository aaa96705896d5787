/** Rules of what a login is told that it may do. */
import { sodiumReady } from '@natrium/envelope';
import type { Policy } from './policy.js';
import { policyOf } from './policy-of.spec-support.js';

const FILE = `external_auth:
  file:
    ops%:
      - zz.*
      - web2: [test.ping]
      - web1: [test.ping]
    fred:
      - web1: [test.ping]
      - test.*
      - '@jobs'
      - zz.*
    '*':
      - sys.doc
`;

let policy: Policy;

beforeAll(async () => {
  await sodiumReady();
  policy = policyOf(FILE);
});

const accessOf = (name: string, groups: readonly string[], backend = 'file') =>
  policy.accessOfLogin(name, { backend, groups });

it('a user’s own list and those of the groups, each entry once and sorted as Salt sorts them', () => {
  const perms = ['@jobs', 'test.*', 'zz.*', { web1: ['test.ping'] }, { web2: ['test.ping'] }];
  expect(accessOf('fred', ['ops'])).toEqual({ perms, seesJobs: true });
});

it('the list of * is told to those whom it is for, and to nobody who has one of his own', () => {
  expect(accessOf('zoe', [])).toEqual({ perms: ['sys.doc'], seesJobs: false });
  expect(accessOf('fred', []).perms).not.toContain('sys.doc');
});

it('who has nothing is told an empty map', () => {
  expect(accessOf('fred', ['ops'], 'ldap')).toEqual({ perms: {}, seesJobs: false });
});
