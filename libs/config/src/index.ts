export { shownAddress } from './addresses.js';
export { brokerTls, type BrokerTlsPaths } from './broker-tls.js';
/** Configuration files to frozen, checked values; errors name file, line, key, reason and mend. */
export { DEFAULT_DIR } from './check.js';
export { type EventSink, sinkKind } from './event-sinks.js';
export { FolderWatch, type WatchedFolder } from './folder-watch.js';
export { configurationDocs } from './docs-table.js';
export { type LoadedConfig, loadMasterConfig, unknownMasterKeys } from './load-master.js';
export { type Host, keepMinionId, loadMinionConfig } from './load-minion.js';
export { MasterConfig } from './master-config.js';
export { checkMasterFinger } from './master-finger.js';
export { MinionConfig } from './minion-config.js';
export { editDistance, nearestKey } from './nearest-key.js';
export { POLICY_KEYS, policyValues } from './policy-values.js';
export { type ConfigProblem, problemReason, problemSentence } from './problem.js';
export { GUI_PREFIX, isSaltKey, SALT_KEYS } from './salt-keys.js';
export { ACCOUNT_NAME, LOG_LEVELS } from './shared-keys.js';
export { logOptions, pinoLevel } from './log-options.js';
export { type FilePlace } from './sourced.js';
