/** How `up` lets its own minions in: it accepts the very keys that they have on disk, and never another of the same name. */
import { setTimeout as pause } from 'node:timers/promises';
import { ok, type Refusal, type Result } from '@natrium/model';
import { shellWord } from '../common/shell-quoted.js';
import type { KeyEntry, MasterLink } from '../ports.js';
import { AGAIN_MS, inVain, passingOf, type Young } from './young.js';

export interface OwnMinions extends Young {
  /** Of the key that the minion has on disk; undefined while it has none. */
  fingerOf(id: string): string | undefined;
  /** Configuration folder of the master, for what the operator is told to do. */
  readonly master: string;
}

/** @throws {Error} When the cluster does not want the key of one, or one does not ask: in time, or because a process has ended. */
export async function letIn(link: MasterLink, own: OwnMinions): Promise<void> {
  const waiting = new Set(own.ids);
  let passing: string | undefined;
  for (const until = own.now() + own.waitMs; waiting.size > 0 && own.now() < until;) {
    const done = await letInNow(link, own, waiting);
    passing = done.ok ? undefined : passingOf(done.error, own);
    if (waiting.size > 0 && !own.isWhole()) break;
    if (waiting.size > 0) await pause(AGAIN_MS);
  }
  if (waiting.size > 0) throw inVain(passing ?? `these minions did not ask to join: ${[...waiting].join(', ')}`, own);
}

/** Who is let in waits no longer. A list that is asked for anew tells what became of those that were asked for in vain. */
async function letInNow(link: MasterLink, own: OwnMinions, waiting: Set<string>): Promise<Result<undefined, Refusal>> {
  const list = await link.keys.list();
  if (!list.ok) return list;
  const known = list.value.entries.filter(({ id, fingerprint }) => waiting.has(id) && fingerprint === own.fingerOf(id));
  refuseUnwanted(known, own.master);
  const pending = known.filter(({ state }) => state === 'pending');
  if (pending.length > 0) {
    const accepted = await link.keys.accept(pending);
    if (!accepted.ok) return accepted;
  }
  for (const { id } of known) waiting.delete(id);
  return ok(undefined);
}

/** It would ask for ever. */
function refuseUnwanted(known: readonly KeyEntry[], master: string): void {
  const unwanted = known.find(({ state }) => state === 'rejected' || state === 'denied');
  if (unwanted === undefined) return;
  const { id, state } = unwanted;
  throw new Error(
    `the key of minion ${id} is ${state}; start without it, then natrium-key -c ${shellWord(master)} -d ${shellWord(id)}`,
  );
}
