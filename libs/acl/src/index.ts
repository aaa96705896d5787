export { allowsByLists } from './allow-deny.js';
export { type AccountClaim, type AccountIdentity, authenticateAccount, keyHolders, listsOfAccount } from './account.js';
export { type Allowed, type Ask, type Decision, type LoginInfo, type Refused } from './ask.js';
export { deniedFunction, deniedUser } from './blacklist.js';
export { compileList, type ListContext } from './compile-list.js';
export { compilePolicy, type CompiledPolicy } from './compile-policy.js';
export { compileDenied } from './compile-section.js';
export { blacklistDecision, decide } from './decide.js';
export { type Covers, permitsJob } from './evaluate-entry.js';
export { explainRefusal, type NearMiss } from './explain.js';
export { type Login, listsOfLogin } from './external.js';
export { mayReadJob } from './job-owner.js';
export type {
  AccessList,
  Backend,
  CallerRule,
  Condition,
  DenyList,
  Entry,
  FunctionRule,
  LoginRule,
  PermittedTarget,
  Policy,
  PolicyProblem,
  RulePath,
  RuleRef,
  Settings,
  SpecRule,
  UserRule,
  ValueRule,
} from './policy.js';
export { type PolicyConfig } from './policy-config.js';
export { ProblemList } from './problem-list.js';
export { type RequestedTarget, requestTarget } from './requested-target.js';
export { unusableTarget } from './sentences.js';
export { type Form, isModuleFunction, permitsSpec, type SpecAsk } from './specs.js';
export { TargetMemo } from './target-memo.js';
export { checkToken, makeToken, type TokenRecord, type TokenRequest } from './token.js';
