export { BrokerKeys, fixedName } from './broker-keys.js';
export { accountJwt, plainUserJwt, scopedUserJwt, scopesIn } from './issue.js';
export { type Scope, type ScopeName, SCOPES } from './permissions.js';
