export { EventProblem, type EventFeed, type From, type Listen, type Listening, NotStored } from './buses/bus.js';
export { LocalBus } from './buses/local-bus.js';
export { gapEvent } from './buses/outlet.js';
export { cutToSize, sized, trimmed } from './buses/sized.js';
export { cursorText } from './event/cursor.js';
export { measured } from './event/data-problem.js';
export { GAP_TAG, type Heard, isGap, lineOf, type Origin, stampOf, timeOf, withoutStamp } from './event/event.js';
export { jsonText } from './event/json-text.js';
export { roughSize } from './event/rough-size.js';
export { compileTags, MATCH_TYPES, type TagTest } from './event/tag-filter.js';
export { minionTagProblem, runnerTagProblem } from './event/tags.js';
export { type EncodedBatch, EventLog, eventsOf, type LoggedBatch } from './journal/event-log.js';
export { JournaledBus } from './journal/journaled-bus.js';
export { masterSocketBase, minionSocketBase, serveSaltSockets } from './salt/salt-sockets.js';
export {
  BusGone,
  type BusEvent,
  EventClient,
  type Json,
  type JsonMap,
  type SubscribeOptions,
  type Subscription,
} from './sockets/client.js';
export { serveJsonSocket, type SocketRights } from './sockets/json-socket.js';
export { LineReader } from './sockets/line-reader.js';
export { listenForOwner, type SocketPlace, type UnixServer } from './sockets/unix-server.js';
