/**
 * Tells whether the other nodes of the broker hear this one. nats-server 2.10 has a race at its start (`setSystemAccount`: the
 * goroutine that sends for Raft may look for the system account before it is set; 2.11 hands it over): who loses it hears the
 * others and sends no vote and no acknowledgement until it is started again. Its routes are whole, so only what goes over them
 * tells, and of that only Raft: all that clients ask of JetStream goes to each node, and its leader alone answers.
 * Who is heard answers a leader each second, and without one asks for votes within 9 s; one that is not never says a word.
 */

/** Of a meta leader, which has one a second for each node. */
const ENOUGH = 5;
/** Where somebody at another node reads all of the system account, that reading has the count. */
const SAID = /^(\$NRG\.|[*>])/;
const LED = /^\$NRG\.AE\./;

/** Later versions have no such race. Two of three, founded without the third, elect none there (2.12), and are right to wait. */
export function mayBeUnheard(version) {
  return version.startsWith('2.10.');
}

/**
 * @param routez What `/routez?subs=detail` answers.
 * @param account The system account, as `/varz` names it: it has routes of its own.
 * @returns The messages of Raft that this node has sent over the routes of that account since these were made.
 */
export function saidIn(routez, account) {
  const own = (routez.routes ?? []).filter((route) => route.account === account);
  return messages(
    own.flatMap((route) => route.subscriptions_list_detail ?? []),
    SAID,
  );
}

/** @param subsz What `/subsz?subs=1&acc=ACCOUNT` answers: this node's own. @returns The words of leaders that it has heard. */
export function heardIn(subsz) {
  return messages(subsz.subscriptions_list ?? [], LED);
}

function messages(subs, which) {
  return subs.reduce((sum, { subject, msgs }) => sum + (which.test(subject) ? msgs : 0), 0);
}

/**
 * Of a node that has said nothing for longer than a vote is waited for.
 *
 * @param before,after What it had `heard`, and whether it had routes and yet no leader (`led`), when that began and when it ended.
 * @returns 'unheard', or 'unknown' where nobody may have said anything that it should have answered, as when a leader has just died.
 */
export function judged(before, after) {
  if (!before.led && !after.led) return 'unheard';
  return after.heard - before.heard < ENOUGH ? 'unknown' : 'unheard';
}
