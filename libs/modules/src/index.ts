/** Execution modules, their declarations and the registry that runs them. How to write one: docs/modules.md. */
export { builtinModules } from './builtin/index.js';
export { DELIMITER, traverseOr } from './builtin/traverse.js';
export type {
  CallContext,
  IdentityPort,
  JobFacts,
  RefreshPort,
  RunningJob,
  RunningJobs,
  SignalSent,
} from './call-context.js';
export { type EventPort, NOT_KEPT } from './event-port.js';
export { gatherGrains } from './grains/gather-grains.js';
export { GrainsFile } from './grains/grains-file.js';
export type { ArgumentFault } from './loader/bind-arguments.js';
export { knownArguments } from './loader/bind-arguments.js';
export { ANYTHING, declaringFor, defineModule, type Library, type Module } from './loader/declaration.js';
export { type Dialect, errorText, type Thrown } from './loader/dialect.js';
export { ExecutionError, InvocationError } from './loader/errors.js';
export { executeSeveral } from './loader/execute-several.js';
export { compileGlob } from './loader/glob.js';
export { type BaseContext, Registry } from './loader/registry.js';
export { docsOf } from './loader/select-functions.js';
export { unknownModules, whichLoad } from './loader/which-load.js';
export { unanswered } from './builtin/publish-reply.js';
export { type Outcome, Reply, reply } from './loader/reply.js';
export {
  type MasterPort,
  type PeerReturn,
  type PublishAnswer,
  type PublishAsk,
  type RunnerAnswer,
  type RunnerAsk,
  secondsOf,
} from './master-port.js';
export type { MineAnswer, MineCall, MineItem, MinePort, MineRead } from './mine-port.js';
export { type ExecutionModule, fn, minionRegistry } from './minion-registry.js';
export { minionFacts } from './own/minion-facts.js';
export { OwnModules } from './own/own-modules.js';
export { shellNote } from './process/shell-note.js';
export { type ProcessPort } from './process/run-process.js';
export { removeLeftScripts } from './process/script-folder.js';
export { minionReturners, type ReturnersParts } from './returners/minion-returners.js';
export { PostRefused, postSigned, type Webhook, webhookKey } from './returners/post-signed.js';
export type { Returner, ReturnFacts } from './returners/returner.js';
export { Returners } from './returners/returners.js';
export { SALT_VERSION } from './salt-version.js';
