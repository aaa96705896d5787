export { BrokerKeys, fixedName, type IssuedScope } from './broker-keys.js';
export { accountJwt, credentialsText, plainUserJwt, scopedUserJwt, scopesIn } from './issue.js';
export { permissionsOf, type Scope, type ScopeName, SCOPES } from './permissions.js';
