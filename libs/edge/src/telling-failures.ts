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

const SENTENCE = 'a request has no answer, its caller has to ask again';

/** @returns Takes what the handler of a route has thrown. */
export function tellingFailures(log: Log): (route: string, cause: unknown) => void {
  const isFirst = firstThenCounts((counts) => {
    log.warn({ counts }, 'more requests had no answer in the last minute');
  });
  return (route, cause) => {
    if (!(cause instanceof Unanswered) && !isStoreFailure(cause)) log.error({ err: cause, route }, 'a request failed');
    else if (isFirst(route)) log.warn({ route, why: cause.message }, SENTENCE);
    else log.debug({ route, why: cause.message }, SENTENCE);
  };
}
