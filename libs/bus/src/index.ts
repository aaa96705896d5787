/** Sealed messages and sealed stores over NATS, for processes of every kind, and the same in memory for tests. */
export { askAgain, askOnce, SILENT_MS } from './asking/ask-again.js';
export { digestOf, readAsked } from './asking/asked.js';
export { BACK_MS, type Hearing, type Question } from './asking/asking.js';
export type { AskFailure } from './asking/conversation.js';
export type { FanTarget, ReadyFan } from './asking/fanning.js';
export { hello, type HelloPin, type HelloProblem } from './asking/hello.js';
export { type OnOpenFailure, SealedBus } from './asking/sealed-bus.js';
export {
  NO_TRACING,
  type OpenStep,
  type Sending,
  type StepFacts,
  type StepName,
  type ToldMessage,
  type Tracing,
} from './asking/tracing.js';
export { NatsTransport } from './nats/nats-transport.js';
export type { BrokerTls, BrokerUser, NatsOptions } from './nats/settings.js';
export { tellingSilence } from './nats/telling-silence.js';
export { tellingLost, waitingForBroker } from './nats/waiting-for-broker.js';
export { type BrokerTrouble, whyNoBroker } from './nats/why-no-broker.js';
export { Clock } from './parties/clock.js';
export { Directory } from './parties/directory.js';
export { OwnParty } from './parties/own-party.js';
export { Roles, rolesEnded } from './parties/roles.js';
export { readChain, ROLES_DOCUMENTS, writeChain } from './parties/roles-news.js';
export { type Journal, type JournalMessage, type Reading, type ReadFrom, Unstorable } from './ports/journal.js';
export { MemoryJournal } from './ports/memory-journal.js';
export { MemoryStore } from './ports/memory-store.js';
export { MemoryBroker } from './ports/memory-transport.js';
export type { Change, Entry, Store } from './ports/store.js';
export type { Incoming, Listening, Transport } from './ports/transport.js';
export type { Opened } from './sealing/opened.js';
export { Sealer } from './sealing/sealer.js';
export { firstThenCounts } from './sealing/first-then-counts.js';
export { tellingUnopened } from './sealing/telling-unopened.js';
export { changeEntry, createOrUpdate, type EntryChange } from './storage/change-entry.js';
export { GroupCommit } from './storage/group-commit.js';
export { inSlices } from './storage/in-slices.js';
export { type JournalOptions, journalToRead, openJournal } from './storage/nats-journal.js';
export { type BucketOptions, openBucket } from './storage/nats-store.js';
export { SealedJournal } from './storage/sealed-journal.js';
export { SealedStore, type StorageKeys, StoredCorrupt } from './storage/sealed-store.js';
export { SharedFollowing } from './storage/shared-following.js';
export { isStoreFailure } from './storage/store-failure.js';
export { resealAll, storedKeyIds } from './storage/stored-keys.js';
export { type Easing, GATHERED, whenEased } from './storage/when-eased.js';
export { readTrouble } from './streams/reading-state.js';
export { StreamRefused, whenWriteRefused, writeTrouble } from './streams/stream-publisher.js';
