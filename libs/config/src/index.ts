/** Configuration files to frozen, checked values; errors name file, line, key, reason and mend. */
export { shownAddress } from './addresses.js';
export { brokerTls, brokerTlsProblem } from './broker-tls.js';
export { type EventSink, sinkKind } from './event-sinks.js';
export { type Replaced } from './config-files.js';
export { FolderWatch, type WatchedFolder } from './folder-watch.js';
export { filesBeside, type LoadedConfig, loadMasterConfig, masterKeyProblems, readMaster } from './load-master.js';
export { keepMinionId, loadMinionConfig } from './load-minion.js';
export { MasterConfig } from './master-config.js';
export { MinionConfig } from './minion-config.js';
export { nearestKey } from './nearest-key.js';
export { POLICY_KEYS, policyValues } from './policy-values.js';
export { type ConfigProblem, problemReason, problemSentence } from './problem.js';
export { MAX_REPLICAS, replicasOf } from './replicas.js';
export { GUI_PREFIX } from './salt-keys.js';
export { ACCOUNT_NAME } from './shared-keys.js';
export { shownMinion } from './shown-minion.js';
export { logOptions, pinoLevel } from './log-options.js';
export { type FilePlace } from './sourced.js';
