/**
 * A minion's new identity takes the place of its old one: the old one vouches for the new one, and nobody else can.
 *
 * What was proved comes in: the request is the new key's own, and the signature over it is the old key's. Here is decided
 * whether the roster lets the one follow the other. The same question again has the same answer, since answers get lost.
 *
 * Spec: spec/envelope.md#succession.
 */
import { err, ok, type Refusal, refusal, refuse, type Result } from '@natrium/model';
import type { KeyRecord } from './join.js';

export interface SuccessionAsk {
  /** The id in the new key's request. */
  readonly id: string;
  /** What the roster has of the key that asks, and of the one that shall follow it. */
  readonly old: KeyRecord | undefined;
  readonly next: KeyRecord | undefined;
}

/** `go`: nothing has happened yet; `finish`: both are accepted, and the old one has to leave; `done`: it has left. */
export type SuccessionStep = 'go' | 'finish' | 'done';

export function decideSuccession({ id, old, next }: SuccessionAsk): Result<SuccessionStep, Refusal> {
  if (old?.kind !== 'minion' || (old.state !== 'accepted' && old.state !== 'deleted')) return err(UNKNOWN);
  if (old.name !== id) return refuse('key_mismatch', `a key of ${old.name} cannot vouch for one of another id`);
  if (next === undefined) return old.state === 'accepted' ? ok('go') : err(UNKNOWN);
  const follows = next !== old && next.kind === 'minion' && next.name === old.name && next.state === 'accepted';
  if (follows) return ok(old.state === 'accepted' ? 'finish' : 'done');
  return old.state === 'accepted' ? err(KNOWN) : err(UNKNOWN);
}

const UNKNOWN = refusal('unknown_caller', 'this key is not that of an accepted minion');
const KNOWN = refusal('key_state', 'the new key is known already; a new identity needs a key that nobody has seen');
