/** What functions and returners of a minion see of its configuration, with Salt's names; its grains are gathered from it. */
import type { ValueMap } from '@natrium/model';
import { masterUrl, shownAddress } from './addresses.js';
import type { MinionConfig } from './minion-config.js';

/** `master` is one text, as it is in Salt once a minion is connected, however many the file names. */
export function shownMinion({ id, master, nats, grains, cachedir }: MinionConfig): ValueMap {
  return { id, master: hostOf(master[0] ?? nats[0] ?? ''), grains, cachedir };
}

/** An address of `natrium-call --local --master` may be none that a broker has. */
function hostOf(address: string): string {
  const url = masterUrl(address, 4222);
  return url.ok ? new URL(url.value).hostname.replace(/^\[|\]$/g, '') : shownAddress(address);
}
