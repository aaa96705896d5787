export { brokerLogin, endWhenLost } from './broker-login.js';
export { checkGrantRun } from './grant-run.js';
export { Handles } from './handles.js';
export { MetricsDoor } from './metrics-door.js';
export { RoleLink, type RoleOptions } from './role-link.js';
export { openService, type OpenService, runService, type ServiceStart } from './run-service.js';
export type { EventsKeeping } from './store-options.js';
export { ServiceMetrics } from './service-metrics.js';
export { ConfigInvalid, readServiceConfig, type ServiceConfig } from './service-config.js';
