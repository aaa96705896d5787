/** What the trace of a request has in it, in the words of `arrowsOf`; the first of them begins it. */

/** Of a publish that one minion answers: all of it. @param who As `arrowsOf` names the caller. */
export function stepsOfPublish(who: string, target: string): readonly string[] {
  return [
    `${who}: publish < nothing`,
    `${who}: send publish < publish`,
    'gateway: process publish < send publish',
    'gateway: send grant < process publish',
    'acl: process grant < send grant',
    'acl: decide < process grant',
    'gateway: store job < process publish',
    'gateway: send job < process publish',
    `minion ${target}: process job < send job`,
    `minion ${target}: verify < process job`,
    `minion ${target}: run < process job`,
    `minion ${target}: send return < process job`,
    'gateway: process return < send return',
    'gateway: store return < process return',
  ];
}

/** Of a runner that reads what the master holds; more of the same may be in it. */
export function stepsOfRunner(who: string): readonly string[] {
  return [
    `${who}: runner < nothing`,
    `${who}: send runner < runner`,
    'gateway: process runner < send runner',
    'gateway: send grant < process runner',
    'acl: process grant < send grant',
    'acl: decide < process grant',
    'gateway: send run < process runner',
    'runner: process run < send run',
    'runner: run < process run',
    'runner: send read < run',
    'gateway: process read < send read',
  ];
}
