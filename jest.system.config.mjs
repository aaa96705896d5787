import base, { slow } from './jest.config.mjs';

/** What `npm test` runs too, with fewer cases. */
const longer = ['compat/differential/differential', 'tests/cluster/job-life'];
process.env.NATRIUM_DIFFERENTIAL_CASES ??= '30000';
process.env.NATRIUM_JOBS_AT_ONCE ??= '500';

/** The system tests, which need root or packages of the distribution, and the long rounds: one file at a time. */
export default {
  ...base,
  testMatch: ['**/tests/system/**/*.spec.ts', ...[...slow, ...longer].map((path) => `**/${path}.spec.ts`)],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  // One file at a time needs no worker.
  workerIdleMemoryLimit: undefined,
  testTimeout: 300_000,
};
