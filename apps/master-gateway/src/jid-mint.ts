import { randomInt } from 'node:crypto';
import { type Jid, JidClock } from '@natrium/model';

/**
 * Jids of one gateway, each at random within its millisecond. Whoever takes it first in the job cache decides between gateways that
 * mint the same one; but three broker nodes, one of them just coming back, have been seen to acknowledge one taking to two gateways, so
 * they had better not meet.
 */
export function jidMint(nowMs: () => number): () => Jid {
  const jids = new JidClock();
  return () => jids.next(nowMs() + randomInt(1000) / 1000);
}
