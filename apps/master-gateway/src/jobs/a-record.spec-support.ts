/** A job of the rules, as it is kept. */
import type { records } from '@natrium/wire';

export function recordOf(jid: records.JobRecord['jid'], change: Partial<records.JobRecord> = {}): records.JobRecord {
  return {
    request: Uint8Array.of(1),
    signature: null,
    callerKey: null,
    batch: null,
    jid,
    caller: { kind: 'account', name: 'root' },
    grant: { bytes: Uint8Array.of(1), signature: new Uint8Array(64) },
    instance: 'gw1',
    members: [{ id: 'web1', key: new Uint8Array(32) }],
    missing: [],
    started: 0,
    ...change,
  };
}

/** The same as it was asked for. */
export function askedOf({
  caller: _c,
  grant: _g,
  members: _m,
  missing: _n,
  ...asked
}: records.JobRecord): records.AskedJob {
  return asked;
}
