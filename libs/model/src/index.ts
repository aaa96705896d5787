export { type Arguments, funArgs, joinArguments, KWARG_MARK, splitArguments, withoutMark } from './arguments.js';
export { MAX_BRIEF_VALUES, MAX_EVENT_VALUES, MAX_RETURNED_VALUES, MAX_VALUES } from './carried.js';
export { codeOf } from './code-of.js';
export { endedAlsoBy } from './ended-also-by.js';
export { InFlight } from './in-flight.js';
export { MAX_DIGITS, readJson, writeJson } from './json.js';
export { type Jid, jidOf, jidTime, parseJid, startTimeOf } from './jid.js';
export { keepLatest } from './keep-latest.js';
export { countValues, isReadable, isWithin, MAX_KEPT_BYTES, MAX_KEPT_VALUES } from './kept.js';
export { messageOf } from './message-of.js';
export { type MinionId, parseMinionId } from './minion-id.js';
export { nameOf, type Principal, PRINCIPAL_KINDS, type PrincipalKind } from './principal.js';
export { pyRepr, pyStr } from './py-text.js';
export { err, ok, type Result } from './result.js';
export { SharedReadings } from './shared-readings.js';
export { outOfTime } from './out-of-time.js';
export { fromPlain, type Plain, toPlain } from './tagged-value.js';
export type { Target } from './target.js';
export { VERSION } from './version.js';
export { Float, float, isList, isMap, isTrue, type Value, type ValueMap } from './value.js';
export { ABSENT_WHYS, type Absent, type AbsentWhy, type JobNews, type JobReturn, outForAll } from './job-news.js';
export { NOT_NOW, refusal, type Refusal, refuse, REFUSAL_CODES, type RefusalCode } from './refusal.js';
export {
  lifetimeOf,
  MAX_FUN,
  MAX_FUNS,
  MAX_GRANT_JOB,
  MAX_LIFETIME,
  MAX_TIMEOUT,
  type Request,
  REQUEST_WHATS,
  type RequestWhat,
  type Signed,
} from './request.js';
export { sample } from './sample.js';
export { Unanswered } from './unanswered.js';
