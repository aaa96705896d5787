/**
 * One question that is waiting for its answers. The broker delivers them under `<inbox>.<token>.<index>`; the envelope
 * proves that they are answers to this question from the side that was asked.
 */
import { type KnownParty, namesOf, type OpenedMessage } from '@natrium/envelope';
import type { Contract } from '@natrium/wire';

/** Why a question got no answer: nobody listens, nobody answered in time, it was turned away, or nobody is known to ask. */
export type AskFailure = 'no_responders' | 'timeout' | 'turned_away' | 'nobody_known';

export interface Conversation {
  readonly contracts: ReadonlyMap<string, Contract>;
  readonly messageId: Uint8Array;
  expects(party: KnownParty): boolean;
  onAnswer(opened: OpenedMessage, index: number): void;
  /** @returns To whom the question was sealed; undefined when this is no receipt of it, or none is waited for. */
  onReceipt(receipt: Uint8Array): readonly KnownParty[] | undefined;
  onNoResponders(index: number): void;
  onStaleKey(party: KnownParty, index: number): void;
  onTurnedAway(index: number): void;
  /** Nothing can be heard any more: the conversation still ends in its time, but does not keep the process alive until then. */
  letGo(): void;
}

/** Answers come only from the role or party asked. */
export function sameSide(party: KnownParty, asked: KnownParty): boolean {
  if (party.owner.type === 'role' && asked.owner.type === 'role') return party.owner.role === asked.owner.role;
  return party.owner.type === asked.owner.type && sameKey(party, asked);
}

export function sameKey(a: KnownParty, b: KnownParty): boolean {
  return namesOf(a).key === namesOf(b).key;
}

/** The parties to seal to once one of them has shown a newer key: its old one is replaced. */
export function renewed(parties: readonly KnownParty[], fresh: KnownParty): readonly KnownParty[] {
  const others = parties.filter((party) => !(sameKey(party, fresh) && sameInstance(party, fresh)));
  return [...others, fresh];
}

function sameInstance(a: KnownParty, b: KnownParty): boolean {
  return a.owner.type === 'role' && b.owner.type === 'role' ? a.owner.instance === b.owner.instance : true;
}
