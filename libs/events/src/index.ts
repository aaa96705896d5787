export { EventProblem, type EventFeed, type From, type Listen, type Listening, NotStored } from './bus.js';
export {
  BusGone,
  type BusEvent,
  EventClient,
  type Json,
  type JsonMap,
  type SubscribeOptions,
  type Subscription,
} from './client.js';
export { cursorText } from './cursor.js';
export { measured } from './data-problem.js';
export { GAP_TAG, type Heard, isGap, lineOf, type Origin, stampOf, timeOf, withoutStamp } from './event.js';
export { type EncodedBatch, EventLog, eventsOf, type LoggedBatch } from './event-log.js';
export { jsonText } from './json-text.js';
export { serveJsonSocket, type SocketRights } from './json-socket.js';
export { LineReader } from './line-reader.js';
export { JournaledBus } from './journaled-bus.js';
export { LocalBus } from './local-bus.js';
export { gapEvent } from './outlet.js';
export { roughSize } from './rough-size.js';
export { sized, trimmed } from './sized.js';
export { masterSocketBase, minionSocketBase, serveSaltSockets } from './salt-sockets.js';
export { compileTags, MATCH_TYPES, type TagTest } from './tag-filter.js';
export { minionTagProblem, runnerTagProblem } from './tags.js';
export { listenForOwner, type SocketPlace, type UnixServer } from './unix-server.js';
