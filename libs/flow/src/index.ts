export { Budget, type BudgetLimits } from './budget.js';
export { type AccountPorts, AccountRequests, isAccountName } from './account-requests.js';
export { type ActiveJob, ActiveJobs, type Seen, type TimerPort } from './active-jobs.js';
export {
  type AuditSeen,
  type ChainHead,
  type Finding,
  type SeenGrant,
  type SeenHead,
  type SeenRecord,
  type UnreadRecord,
  verifyAudit,
} from './audit-verify.js';
export {
  type Allowed,
  type AuditEntry,
  DecideGrant,
  type GrantAnswer,
  type GrantFields,
  type GrantPorts,
  type Member,
  type Proved,
} from './decide-grant.js';
export { JobReturns, type Returned, type ReturnPorts } from './job-return.js';
export {
  type CheckedGrant,
  type GrantRefusal,
  type JobOrder,
  JobRun,
  type MinionReturn,
  type Outcome,
  type RunPorts,
} from './job-run.js';
export {
  type Admission,
  decideJoin,
  type JoinDecision,
  type Joiner,
  type JoinState,
  type KeyRecord,
  type KeyState,
  type RosterView,
} from './join.js';
export { type EnrolPorts, KeyEnrolment } from './key-enrolment.js';
export { type KeyPorts, KeyRequests } from './key-requests.js';
export { GatheredNews, type News, NO_NEWS, refused, type Tell } from './news.js';
export { JobTakeover, type TakeoverPorts } from './job-takeover.js';
export { PeerPublish } from './peer-publish.js';
export type { FanHear, FanRound, Follow, GrantedJob, JobCreation, PublishPorts, StoredJob } from './publish-ports.js';
export { endUnder, PeerRun, type PeerRunPorts, type Ran, refusedRun, type RunStart } from './peer-run.js';
export { PILLAR_RUNNER } from './pillar-runner.js';
export { PolicyReload, type ReloadPorts } from './policy-reload.js';
export {
  canBeAskedAgain,
  CONNECTED,
  type Credential,
  GRANT_RUN,
  type GrantRun,
  runsPublish,
  type SignedRequest,
  KNOWN_KEYWORDS,
  WAITS,
} from './signed-request.js';
export { sendable } from './sendable.js';
export { AROUND_RETURN, isReadable, tooDeep, withinDepth } from './too-deep.js';
export { decideSuccession, type SuccessionAsk, type SuccessionStep } from './succession.js';
export { fillIn, placeholdersIn, type ReactorEvent } from './reactor/event-values.js';
export { compileReactor, type Reaction, type ReactorProblem } from './reactor/reactions.js';
export {
  type Cause,
  CAUSE,
  CAUSE_KEY,
  REACTION,
  type ReactionCall,
  Reactor,
  type ReactorPorts,
} from './reactor/reactor.js';
