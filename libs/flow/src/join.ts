/**
 * Joining: a minion’s key is pending until somebody who may accept it does, by id and fingerprint.
 *
 * One key never has two names and one name never two keys; a second key for a known id is denied. Names and keys are
 * entries of the roster, written by compare-and-swap: the loser of a race reads again and decides anew.
 *
 * Spec: spec/envelope.md#join.
 */
import type { MinionId, ValueMap } from '@natrium/model';

export type KeyState = 'pending' | 'accepted' | 'rejected' | 'denied' | 'deleted';

export interface KeyRecord {
  readonly kind: 'minion' | 'account';
  readonly name: string;
  readonly identity: Uint8Array;
  readonly nkey: Uint8Array;
  readonly state: KeyState;
  readonly revision: number;
}

export interface Joiner {
  readonly id: MinionId;
  readonly identity: Uint8Array;
  readonly nkey: Uint8Array;
  /** What it says of itself, for `autosign_grains`; nothing else believes it before it is accepted. */
  readonly grains: ValueMap;
}

export type JoinState = 'pending' | 'accepted' | 'denied' | 'rejected' | 'full';

/** What the roster has now. */
export interface RosterView {
  /** The record of this name that is not denied or deleted. */
  byName(kind: 'minion' | 'account', name: string): KeyRecord | undefined;
  byKey(identity: Uint8Array): KeyRecord | undefined;
  /** Whether a new identity of its minion took this key's place: it never comes back. */
  wasSucceeded(identity: Uint8Array): boolean;
  /** Whether this key was taken away, and nobody has decided about it since. */
  wasDeleted(identity: Uint8Array): boolean;
  /** Keys of minions that wait, and those that were turned away: both are bounded. */
  count(state: 'pending' | 'turned_away'): number;
}

/** How newcomers are let in without an operator: `auto_accept`, the autosign and autoreject files, expected keys. */
export interface Admission {
  readonly autoAccept: boolean;
  /** Whether it cannot be told if this one is to be kept out, as when a file of rules cannot be read. Then only an operator lets it in. */
  isInDoubt(joiner: Joiner): boolean;
  rejects(joiner: Joiner): boolean;
  /** The operator named this very key beforehand. */
  expects(joiner: Joiner): boolean;
  /** A rule lets any key in under this id, or with these grains. */
  signs(joiner: Joiner): boolean;
  readonly maxPending: number;
  /** Whether one more minion may be accepted. */
  readonly hasRoom: boolean;
}

export interface JoinDecision {
  readonly state: JoinState;
  /** What to write; undefined when the roster stays as it is. */
  readonly write?: { readonly state: KeyState };
}

export function decideJoin(joiner: Joiner, roster: RosterView, admission: Admission): JoinDecision {
  if (roster.wasSucceeded(joiner.identity)) return { state: 'denied' };
  const named = roster.byName('minion', joiner.id);
  const own = roster.byKey(joiner.identity);
  // One key never has two names.
  if (own !== undefined && own.state !== 'deleted' && !isCalled(own, joiner.id)) return { state: 'denied' };
  if (own?.state === 'accepted' || own?.state === 'rejected') return { state: own.state };
  const isTaken = named?.state === 'accepted';
  // An expected key is let in even when other keys wait or were rejected under its name, or when it was denied itself.
  if (!isTaken && isExpected(joiner, roster, admission)) return admission.hasRoom ? ACCEPT : noRoom(own);
  if (own?.state === 'denied') return { state: 'denied' };
  const mayCome = !isTaken && admission.hasRoom;
  if (own?.state === 'pending') return mayCome && isAdmitted(joiner, admission) ? ACCEPT : { state: 'pending' };
  const isFull = (what: 'pending' | 'turned_away') => roster.count(what) >= admission.maxPending;
  // Nothing is written for a key that was deleted: it stays so while another has its id. The broker refuses deleted keys, but not denied ones.
  if (named !== undefined) return turnedAway('denied', own !== undefined || isFull('turned_away'));
  if (admission.rejects(joiner)) return turnedAway('rejected', isFull('turned_away'));
  if (!admission.hasRoom) return FULL;
  if (isAdmitted(joiner, admission)) return ACCEPT;
  if (isFull('pending')) return FULL;
  return { state: 'pending', write: { state: 'pending' } };
}

const ACCEPT: JoinDecision = { state: 'accepted', write: { state: 'accepted' } };
const FULL: JoinDecision = { state: 'full' };

/** Who waits goes on waiting; a newcomer is not kept. */
function noRoom(own: KeyRecord | undefined): JoinDecision {
  return own?.state === 'pending' ? { state: 'pending' } : FULL;
}

function isCalled({ kind, name }: KeyRecord, id: MinionId): boolean {
  return kind === 'minion' && name === id;
}

/** Beyond the bound the answer is the same, and the key is not written down. */
function turnedAway(state: 'denied' | 'rejected', full: boolean): JoinDecision {
  return full ? { state } : { state, write: { state } };
}

function mayBeLetIn(joiner: Joiner, admission: Admission): boolean {
  return !admission.isInDoubt(joiner) && !admission.rejects(joiner);
}

/** Whether the operator expects this very key. That ends when the key is deleted. */
function isExpected(joiner: Joiner, roster: RosterView, admission: Admission): boolean {
  return admission.expects(joiner) && !roster.wasDeleted(joiner.identity) && mayBeLetIn(joiner, admission);
}

/** Whether a rule lets this key in that would let in any key, deleted ones as well. Where one key is expected, its name is no rule for others. */
function isAdmitted(joiner: Joiner, admission: Admission): boolean {
  if (admission.expects(joiner) || !mayBeLetIn(joiner, admission)) return false;
  return admission.autoAccept || admission.signs(joiner);
}
