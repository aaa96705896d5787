/** Sealed messages and sealed stores over NATS, for processes of every kind, and the same in memory for tests. */
export { digestOf, readAsked } from './asked.js';
export { BACK_MS, type Hearing, type Question } from './asking.js';
export { Clock } from './clock.js';
export type { AskFailure } from './conversation.js';
export { Directory } from './directory.js';
export type { FanTarget, ReadyFan } from './fanning.js';
export { GroupCommit } from './group-commit.js';
export { hello, type HelloPin, type HelloProblem } from './hello.js';
export { inSlices } from './in-slices.js';
export { type Journal, type JournalMessage, type Reading, type ReadFrom, Unstorable } from './journal.js';
export { MemoryJournal } from './memory-journal.js';
export { MemoryStore } from './memory-store.js';
export { MemoryBroker } from './memory-transport.js';
export { type JournalOptions, journalToRead, openJournal } from './nats-journal.js';
export type { BrokerTls, BrokerUser, NatsOptions } from './nats-settings.js';
export { type BucketOptions, openBucket } from './nats-store.js';
export { NatsTransport } from './nats-transport.js';
export type { Opened } from './opened.js';
export { OwnParty } from './own-party.js';
export { readTrouble } from './reading-state.js';
export { Roles, rolesEnded } from './roles.js';
export { readChain, ROLES_DOCUMENTS, writeChain } from './roles-news.js';
export { SealedBus } from './sealed-bus.js';
export { SealedJournal } from './sealed-journal.js';
export { SealedStore, type StorageKeys, StoredCorrupt } from './sealed-store.js';
export { Sealer } from './sealer.js';
export type { Entry, Store } from './store.js';
export { isStoreFailure } from './store-failure.js';
export { resealAll, storedKeyIds } from './stored-keys.js';
export { StreamRefused, whenWriteRefused, writeTrouble } from './stream-publisher.js';
export { tellingSilence } from './telling-silence.js';
export { tellingUnopened } from './telling-unopened.js';
export {
  NO_TRACING,
  type OpenStep,
  type Sending,
  type StepFacts,
  type StepName,
  type ToldMessage,
  type Tracing,
} from './tracing.js';
export type { Incoming, Listening, Transport } from './transport.js';
export { waitingForBroker } from './waiting-for-broker.js';
export { type Easing, GATHERED, whenEased } from './when-eased.js';
export { type BrokerTrouble, whyNoBroker } from './why-no-broker.js';
