export { isGood, keepRenewed, OwnUser } from './broker-user.js';
export { connectIdentity, type ConnectOptions, type Known, type Link, linkWith } from './connect.js';
export {
  type Asker,
  type Follow,
  identityAsker,
  type JobAsk,
  type LoginAsk,
  type RunAnswer,
  type RunAsk,
  type TargetAsk,
} from './asks.js';
export { ASKED_AGAIN_MS } from './following.js';
export { joinRequest } from './join-request.js';
export { MasterClient } from './master-client.js';
export { peerPort } from './peer-port.js';
export type { SwarmKey, SwarmNews, SwarmOrder, SwarmShare } from './swarm-words.js';
