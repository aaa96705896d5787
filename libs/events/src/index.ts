export {
  type Bookmark,
  EventProblem,
  type EventFeed,
  type From,
  type Listen,
  type Listening,
  NotStored,
} from './bus.js';
export {
  BusGone,
  type BusEvent,
  EventClient,
  type Json,
  type JsonMap,
  type SubscribeOptions,
  type Subscription,
} from './client.js';
export { type Cursor, cursorText, readCursor } from './cursor.js';
export { dataProblem, measured } from './data-problem.js';
export { GAP_TAG, type Heard, isGap, lineOf, type Origin, stampOf, timeOf, withoutStamp } from './event.js';
export { type EncodedBatch, EventLog, eventsOf, type LoggedBatch } from './event-log.js';
export { jsonText } from './json-text.js';
export { type JsonSocketOptions, serveJsonSocket, type SocketRights } from './json-socket.js';
export { LineReader } from './line-reader.js';
export { JournaledBus, type JournaledBusOptions } from './journaled-bus.js';
export { LocalBus } from './local-bus.js';
export { gapEvent } from './outlet.js';
export { roughSize } from './rough-size.js';
export { type Sized, sized, trimmed } from './sized.js';
export { masterSocketBase, minionSocketBase, serveSaltSockets } from './salt-sockets.js';
export { compileTags, MATCH_TYPES, type MatchType, type TagTest } from './tag-filter.js';
export { minionTagProblem, runnerTagProblem, tagProblem } from './tags.js';
export { listenAt, listenForOwner, type SocketPlace, type UnixServer } from './unix-server.js';
