export { allowsByLists } from './allow-deny.js';
export { type AccountClaim, type AccountIdentity, authenticateAccount, keyHolders, listsOfAccount } from './account.js';
export { type Allowed, type Ask, type Decision, type LoginInfo, type Refused } from './ask.js';
export { deniedFunction, deniedUser } from './blacklist.js';
export { accessOf } from './caller-lists.js';
export { compileList } from './compile-list.js';
export { compilePolicy } from './compile-policy.js';
export { blacklistDecision, decide, isForEverybody } from './decide.js';
export { permitsJob } from './evaluate-entry.js';
export { exchangedMend } from './exchanged.js';
export { explainRefusal, type NearMiss } from './explain.js';
export { BACK_ENDS, type BackEndName, isBackEnd, type Login, listsOfLogin } from './external.js';
export { mayReadJob } from './job-owner.js';
export type {
  AccessList,
  Condition,
  Entry,
  FunctionRule,
  PermittedTarget,
  Policy,
  PolicyProblem,
  RulePath,
  RuleRef,
  ValueRule,
} from './policy.js';
export { type PolicyConfig } from './policy-config.js';
export { ProblemList } from './problem-list.js';
export { requestTarget } from './requested-target.js';
export { unusableTarget } from './sentences.js';
export { isModuleFunction, permitsSpec } from './specs.js';
export { TargetMemo } from './target-memo.js';
export { checkToken, makeToken, type TokenRecord, type TokenRequest } from './token.js';
