/** How `up` lets its own minions in: it accepts the very keys that they have on disk, and never another of the same name. */
import { setTimeout as pause } from 'node:timers/promises';
import type { KeyEntry, MasterLink } from '../ports.js';

export interface OwnMinions {
  readonly ids: readonly string[];
  /** Of the key that the minion has on disk; undefined while it has none. */
  fingerOf(id: string): string | undefined;
  /** Configuration folder of the master, for what the operator is told to do. */
  readonly master: string;
  now(): number;
  /** How long they may take to ask. */
  readonly waitMs: number;
}

const AGAIN_MS = 100;

/** @throws {Error} When the cluster does not want the key of one, or one does not ask in time. */
export async function letIn(link: MasterLink, own: OwnMinions): Promise<void> {
  const waiting = new Set(own.ids);
  for (const until = own.now() + own.waitMs; waiting.size > 0 && own.now() < until;) {
    const list = await link.keys.list();
    if (!list.ok) throw new Error(list.error.sentence);
    const known = list.value.entries.filter(
      ({ id, fingerprint }) => waiting.has(id) && fingerprint === own.fingerOf(id),
    );
    refuseUnwanted(known, own.master);
    const pending = known.filter(({ state }) => state === 'pending');
    if (pending.length > 0) {
      const accepted = await link.keys.accept(pending);
      if (!accepted.ok) throw new Error(accepted.error.sentence);
    }
    for (const { id } of known) waiting.delete(id);
    if (waiting.size > 0) await pause(AGAIN_MS);
  }
  if (waiting.size > 0) throw new Error(`these minions did not ask to join: ${[...waiting].join(', ')}`);
}

/** It would ask for ever. */
function refuseUnwanted(known: readonly KeyEntry[], master: string): void {
  const unwanted = known.find(({ state }) => state === 'rejected' || state === 'denied');
  if (unwanted === undefined) return;
  const { id, state } = unwanted;
  throw new Error(`the key of minion ${id} is ${state}; start without it, then natrium-key -c ${master} -d ${id}`);
}
