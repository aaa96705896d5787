/** Vectors of stored values, hashed names, and the audit's hash chain. */
import { AuditChain } from '../audit.js';
import { toHex, utf8 } from '../bytes.js';
import { NOW, seedOf } from '../parties.spec-support.js';
import { keyedName, sealStoredWith, type StorageProblem } from '../storage.js';
import type { Vectors } from './vector-file.js';

export interface StorageCase {
  readonly name: string;
  readonly keyId: string;
  readonly key: string;
  readonly place: string;
  readonly bytes: string;
  readonly expect: 'opened' | StorageProblem;
  readonly plaintext?: string;
  /** `keyedName` of the place under this key. */
  readonly keyedName?: string;
}

export function storageVectors(): Vectors<StorageCase> {
  const about =
    'How the stored `bytes` open at `place` when the only storage key is `keyId`, `key`; `keyedName` is that of the text `place`.';
  const key = { id: 'jobs-1', key: seedOf('storage') };
  const nonce = seedOf('storage nonce').slice(0, 24);
  const bytes = toHex(sealStoredWith(key, 'jobs/abc', utf8('a job'), nonce));
  const read = { keyId: key.id, key: toHex(key.key), place: 'jobs/abc', bytes };
  const good = { ...read, plaintext: toHex(utf8('a job')), keyedName: keyedName(key, 'jobs/abc') };
  const shifted = sealStoredWith({ ...key, id: 'jobs' }, '-1jobs/abc', utf8('a job'), nonce);
  // The same nonce and key: only the associated data tells the two apart. The id inside is put right by hand.
  const renamed = toHex(shifted).replace(`a4${toHex(utf8('jobs'))}`, `a6${toHex(utf8('jobs-1'))}`);
  const no = (name: string, expect: StorageProblem, change: Partial<StorageCase> = {}): StorageCase => ({
    ...read,
    name,
    expect,
    ...change,
  });
  const cases: StorageCase[] = [
    { name: 'at its place', expect: 'opened', ...good },
    no('another key of the bucket', 'altered', { place: 'jobs/abd' }),
    no('another bucket', 'altered', { place: 'events/abc' }),
    no('another storage key under the same id', 'altered', { key: toHex(seedOf('other')) }),
    no('another id', 'unknown_key', { keyId: 'jobs-2' }),
    no('a place and an id that only together read the same', 'altered', { bytes: renamed }),
    no('a byte changed', 'altered', { bytes: `${bytes.slice(0, -2)}${bytes.endsWith('00') ? '01' : '00'}` }),
    no('another version', 'shape', { bytes: bytes.replace(/^9401/, '9402') }),
    no('cut by a byte', 'shape', { bytes: bytes.slice(0, -2) }),
  ];
  return { about, cases };
}

export interface AuditCase {
  readonly name: string;
  readonly records: readonly string[];
  readonly expect: boolean;
  /** Of the last record. */
  readonly hash?: string;
}

export function auditVectors(): Vectors<AuditCase> {
  const about = 'Whether `records` are one whole chain from its first record on, and the hash of the last.';
  const chain = new AuditChain('acl-1', [{ chain: 'acl-2', number: 4, hash: seedOf('head') }]);
  const entry = {
    time: NOW,
    what: 'grant',
    caller: { kind: 'minion', name: 'web1' },
    digest: seedOf('digest'),
  } as const;
  const records = [1, 2, 3].map((minions) => {
    const rest = { jid: '20261120112404639750', verdict: 'allowed', rule: 'web.*: test.ping', detail: { minions } };
    return toHex(chain.append({ ...entry, ...rest }).bytes);
  });
  const [a = '', b = '', c = ''] = records;
  const cases = [
    { name: 'three records', records, expect: true, hash: toHex(chain.end.hash) },
    { name: 'a gap', records: [a, c], expect: false },
    { name: 'another order', records: [a, c, b], expect: false },
    { name: 'without the first', records: [b, c], expect: false },
    {
      name: 'an edited record',
      records: [a, b.replace(toHex(utf8('allowed')), toHex(utf8('refused'))), c],
      expect: false,
    },
  ];
  return { about, cases };
}
