/** What every service is made of: its life, its place on the bus, its way into Nest's controllers, its figures. */
export { brokerLogin, connectBroker, endWhenLost } from './broker-login.js';
export { checkGrantRun } from './grant-run.js';
export { Handles } from './handles.js';
export { Lanes, type Place } from './lanes.js';
export { listenTrouble } from './listen-trouble.js';
export { MetricsDoor } from './metrics-door.js';
export { RoleLink } from './role-link.js';
export type { RoleOptions } from './role-options.js';
export { openService, type OpenService, runService, type ServiceStart } from './run-service.js';
export { ConfigInvalid, readServiceConfig, type ServiceConfig } from './service-config.js';
export { ServiceMetrics } from './service-metrics.js';
export type { EventsKeeping } from './store-options.js';
