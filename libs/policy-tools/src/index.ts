/** Access lists, looked at: lint, explain, who-can, policy tests, diff. Every verdict is the gate's own (`decide` of libs/acl). */
export { diffRecorded, readRecorded, type Recorded, type RecordedChange } from './audit-diff.js';
export { type Asked, type Caller, judge, readCaller, showCaller } from './caller.js';
export { type Change, diffPolicies } from './diff.js';
export { type Fleet, fleetOfRules, knowingIdsOf, readFleet } from './fleet.js';
export { type Finding, type Severity } from './lint/finding.js';
export { lintPolicy } from './lint/lint.js';
export { type Miss, nearestMisses } from './nearest.js';
export { readPolicyTests, runPolicyTest, type TestFile, type TestOutcome } from './policy-tests.js';
export { type KnownModules, type PolicyView, showPath, viewPolicy } from './policy-view.js';
export { type Allowed, type AllowedMinions, whoCan } from './who-can.js';
