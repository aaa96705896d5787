/**
 * Tells whether a node of the broker waits for a consumer that the cluster has deleted. nats-server 2.10 that stood still while
 * consumers came and went may keep one in its list for ever (after 2 of some 160 standstills of four seconds): no node has it, the
 * broker says that there is none, and what `/healthz` says of it hides all else until that node is started again.
 */
const MISSING = /JetStream consumer '([^']+)' is not current: consumer not found/;
/** Longer than a node takes that asks again, each half minute, for the deletion of a consumer of its own. */
const LOOKS = 60;

/**
 * @param health Resolves with what `/healthz` says is wrong; empty when nothing is.
 * @param look Resolves when it is time to look again, a second later.
 * @returns Whether it has named one consumer for a minute, and was never well meanwhile: of several it names any.
 */
export async function isStale(health, look) {
  const first = new Map();
  for (let looks = 0; looks < 2 * LOOKS; looks += 1) {
    const [, missing] = MISSING.exec(await health()) ?? [];
    if (missing === undefined) return false;
    if (!first.has(missing)) first.set(missing, looks);
    if (looks - first.get(missing) >= LOOKS) return true;
    await look();
  }
  return false;
}
