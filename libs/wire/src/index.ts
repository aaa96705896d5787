/** Everything that is written on the wire or in a store: contracts and records, their encoding, routes and subjects. */
export { readAs, writeAs } from './codec.js';
export { type Body, type Contract, OPEN_TO_ALL, RECEIPT } from './contract.js';
export * as contracts from './contracts.js';
export { isTellable, MAX_MINIONS } from './fields.js';
export * as records from './records.js';
export * as routes from './routes.js';
export type { AnswerOf, QuestionOf, Route } from './routes.js';
export { fpIn, inboxOf, isInbox, joinInboxOf, knockInboxOf, type Subjects, subjectsOf } from './subjects.js';
