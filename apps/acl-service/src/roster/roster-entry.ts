/** What the roster stores of one key. Spec: spec/envelope.md#roster. */
import {
  type Cluster,
  decode,
  encode,
  fp,
  type RosterRecord,
  type Signed,
  signRoster,
  type SigningKey,
  type Wire,
} from '@natrium/envelope';
import { readAs, records, writeAs } from '@natrium/wire';

/** Entries of keys: this and the key's `fp`. */
export const KEYS = 'k.';

export function placeOf(identity: Uint8Array): string {
  return KEYS + fp(identity);
}

/** Where a joiner hears that it was accepted. */
export interface Waiting {
  readonly reply: string;
  readonly question: Uint8Array;
  readonly announcement: Signed;
}

/** What an entry holds beside its record: at most one of these. */
export interface Beside {
  readonly waiting?: Waiting | undefined;
  /** Set where a new identity took the place of an old one, in the records of both: the new one's announcement. */
  readonly succession?: Signed | undefined;
}

export interface RosterEntry {
  readonly record: Signed;
  readonly waiting: Waiting | undefined;
  readonly succession: Signed | undefined;
}

/** Both announcements have the same field: one that succeeds another waits for nothing. */
export function encodeEntry(record: Signed, { waiting, succession }: Beside): Uint8Array {
  const {
    reply = null,
    question = null,
    announcement = null,
  } = succession === undefined ? (waiting ?? {}) : { announcement: succession };
  return encode(writeAs(records.RosterEntry, { record, reply, question, announcement }) as Wire);
}

const NO_NKEY = new Uint8Array(32);

/** Of a key that nothing was ever written of: what its NATS key is nobody knows. */
export function deletedEntry(
  { acl, cluster }: { readonly acl: SigningKey; readonly cluster: Cluster },
  { kind, name, identity }: Pick<RosterRecord, 'kind' | 'name' | 'identity'>,
): Uint8Array {
  const record = { kind, name, identity, nkey: NO_NKEY, state: 'deleted', revision: 1 } as const;
  return encodeEntry(signRoster(acl, cluster, record), {});
}

/** @throws When it is none. */
export function readEntry(value: Uint8Array): RosterEntry {
  const { record, reply, question, announcement } = readAs(records.RosterEntry, decode(value));
  if (reply === null || question === null || announcement === null)
    return { record, waiting: undefined, succession: announcement ?? undefined };
  return { record, waiting: { reply, question, announcement }, succession: undefined };
}
