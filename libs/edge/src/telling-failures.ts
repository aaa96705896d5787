/**
 * What a log says of requests that got no answer. In an outage every request may be one, and each is asked again: where nobody could tell
 * its end (`Unanswered`) or a store did not answer, the first of a route is a warning, and the others are counted. Anything else is a fault
 * of the program, whose stack says where.
 */
import { firstThenCounts, isStoreFailure } from '@natrium/bus';
import { Unanswered } from '@natrium/model';

interface Log {
  error(about: object, sentence: string): void;
  warn(about: object, sentence: string): void;
  debug(about: object, sentence: string): void;
}

/** A fault of the program, or one of whatever it needs, which it is told of elsewhere. */
export const FAILURES = ['fault', 'outage'] as const;
export type Failure = (typeof FAILURES)[number];

const SENTENCE = 'a request has no answer, its caller has to ask again';

/** @returns Takes what the handler of a route has thrown, and says which of both that was. */
export function tellingFailures(log: Log): (route: string, cause: unknown) => Failure {
  const isFirst = firstThenCounts((counts) => {
    log.warn({ counts }, 'more requests had no answer in the last minute');
  });
  return (route, cause) => {
    if (!(cause instanceof Unanswered) && !isStoreFailure(cause)) {
      log.error({ err: cause, route }, 'a request failed');
      return 'fault';
    }
    if (isFirst(route)) log.warn({ route, why: cause.message }, SENTENCE);
    else log.debug({ route, why: cause.message }, SENTENCE);
    return 'outage';
  };
}
