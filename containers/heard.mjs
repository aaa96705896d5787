/**
 * Tells whether the other nodes of the broker hear this one. nats-server 2.10 has a race at its start (`setSystemAccount`: the
 * goroutine that sends for Raft may look for the system account before it is set; 2.11 hands it over): who loses it hears the
 * others and sends no vote and no acknowledgement until it is started again. Its routes are whole, so only what goes over them
 * tells: who is heard answers each message of Raft, here 1 to 1.8 out for each in; one that is not says little but its
 * statistics, 0.05 for each in.
 */

/** Fewer say nothing: the heartbeats of some 20 groups bring as many in a second. */
const ENOUGH = 15;
const FEW_OF_ALL = 4 / 5;
const FEW_OF_NEW = 1 / 8;

/**
 * @param routez What `/routez` answers.
 * @param account The system account, as `/varz` names it: it has routes of its own.
 * @returns The messages over the routes of that account since these were made.
 */
export function counted(routez, account) {
  const own = (routez.routes ?? []).filter((route) => route.account === account);
  const sum = (name) => own.reduce((all, route) => all + route[name], 0);
  return { routes: own.length, in: sum('in_msgs'), out: sum('out_msgs') };
}

/** Tells at one look that it answers: right after a start, with the first words of both sides, it may be wrong. */
export function seemsHeard(count) {
  return count.out >= count.in * FEW_OF_ALL;
}

/**
 * @param before What was counted some seconds before `after`.
 * @returns 'heard', 'unheard', or 'unknown' when too little came or a route was made anew.
 */
export function judged(before, after) {
  const [came, went] = [after.in - before.in, after.out - before.out];
  if (before.routes !== after.routes || went < 0 || came < ENOUGH) return 'unknown';
  return went < came * FEW_OF_NEW ? 'unheard' : 'heard';
}
