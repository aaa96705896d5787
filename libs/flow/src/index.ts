/** What happens to a request, a job, a run, a key and an event, step by step: the rules alone, with the world as ports. */
export { AccountRequests, isAccountName } from './account-requests.js';
export { type ActiveJob, ActiveJobs, type Seen, type TimerPort } from './active-jobs.js';
export {
  type ChainHead,
  type Finding,
  isAfter,
  type SeenGrant,
  type SeenHead,
  type SeenRecord,
  type UnreadRecord,
  verifyAudit,
} from './audit-verify.js';
export { Budget, type BudgetLimits, TOO_FAST } from './budget.js';
export {
  type Allowed,
  type AuditEntry,
  DecideGrant,
  type GrantFields,
  type GrantPorts,
  type Member,
  type Proved,
} from './decide-grant.js';
export { JobReturns, type Returned } from './job-return.js';
export {
  type CheckedGrant,
  type GrantRefusal,
  type JobOrder,
  JobRun,
  type MinionReturn,
  type Outcome,
} from './job-run.js';
export { JobTakeover } from './job-takeover.js';
export {
  type Admission,
  decideJoin,
  type Joiner,
  type JoinState,
  type KeyRecord,
  type KeyState,
  type RosterView,
} from './join.js';
export { KeyEnrolment } from './key-enrolment.js';
export { type KeyPorts, KeyRequests } from './key-requests.js';
export { GatheredNews, type News, NO_NEWS, refused, type Tell } from './news.js';
export { PeerPublish } from './peer-publish.js';
export { endUnder, type NoAnswer, PeerRun, PILLAR_RUNNER, type Ran, refusedRun, type RunStart } from './peer-run.js';
export { PolicyReload } from './policy-reload.js';
export type { FanHear, FanRound, Follow, GrantedJob, JobCreation, PublishPorts, StoredJob } from './publish-ports.js';
export { ReturnedElsewhere } from './returned-elsewhere.js';
export { CARRIED_BYTES, sendable } from './sendable.js';
export {
  canBeAskedAgain,
  CONNECTED,
  type Credential,
  GRANT_RUN,
  type GrantRun,
  type SignedRequest,
  KNOWN_KEYWORDS,
  MAY_BE_SILENT,
  WAITS,
  SILENT_MS,
} from './signed-request.js';
export { decideSuccession, type SuccessionStep } from './succession.js';
export { withinDepth } from './too-deep.js';
export { CAUSE, causeOf, withCause } from './reactor/cause.js';
export { isOfEvent } from './reactor/event-values.js';
export { compileReactor, type Reaction, saidOf } from './reactor/reactions.js';
export { REACTION, type ReactionCall, Reactor } from './reactor/reactor.js';
