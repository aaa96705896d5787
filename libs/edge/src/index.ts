export { brokerLogin, endWhenLost } from './broker-login.js';
export { checkGrantRun } from './grant-run.js';
export { type Answered, Handles } from './handles.js';
export { MetricsDoor } from './metrics-door.js';
export { RoleLink, type RoleOptions } from './role-link.js';
export { openService, type OpenService, runService, type ServiceStart } from './run-service.js';
export { SealedStrategy, type StrategyOptions } from './sealed-strategy.js';
export { ServiceMetrics } from './service-metrics.js';
export { ConfigInvalid, readServiceConfig, type ServiceConfig } from './service-config.js';
