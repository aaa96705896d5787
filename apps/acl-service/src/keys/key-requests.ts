/**
 * `key.*` and `account.*`: requests of an account with full access about the keys in the roster, and the same of the wheel.
 *
 * What they may do is decided in libs/flow; here is the roster that they change, and what the audit hears of each key.
 */
import { fingerprint, fromHex, toHex } from '@natrium/envelope';
import { AccountRequests, KeyEnrolment, type KeyPorts, KeyRequests } from '@natrium/flow';
import { isMap, type Refusal, type Result, type Value } from '@natrium/model';
import type { AdminHandler, KeyOutcome } from '../admin-handler.js';
import type { KeyEvents } from './key-events.js';
import type { Room } from './room.js';
import type { Roster } from '../roster/roster.js';

type Decided = Pick<KeyEvents, 'decided'>;

/** The roster as requests about keys see it. What an operator decides is written, and the event bus told; nobody is accepted without room. */
export function keyPorts(roster: Roster, room: Room, events: Decided): KeyPorts {
  return {
    records: () => roster.records(),
    named: (id) => roster.named('minion', id),
    fingerprintOf: fingerprint,
    textOf: toHex,
    hasRoom: () => room.left > 0,
    change: async (record, state) => {
      const write = () => roster.write({ ...record, state });
      const written = await (state === 'accepted' ? room.accepting(write) : write());
      if (written !== undefined) events.decided(record.name, state);
      return written?.record;
    },
  };
}

/** `key.*`: the keys of minions. */
export function keyHandler(roster: Roster, room: Room, events: Decided): AdminHandler {
  const requests = new KeyRequests(keyPorts(roster, room, events));
  return (fun, args, note) => {
    if (fun === 'key.enrol') return enrolmentIn({ roster, room, events }, note).handle(args);
    return requests.handle(fun, args, outcomeTo(fun.slice('key.'.length), note));
  };
}

/** Tells what became of a key, as `KeyRequests` says it. */
export function outcomeTo(change: string, note: (key: KeyOutcome) => void) {
  return (named: Value, done: Result<string, Refusal> | undefined): void => {
    const code = done?.ok === true ? undefined : (done?.error.code ?? 'failed');
    note({ change, ...namesIn(named), code });
  };
}

interface Enrolling {
  readonly roster: Roster;
  readonly room: Room;
  readonly events: Decided;
}

function enrolmentIn({ roster, room, events }: Enrolling, note: (key: KeyOutcome) => void): KeyEnrolment {
  return new KeyEnrolment({
    records: () => roster.records(),
    keyFrom,
    textOf: toHex,
    room: () => room.left,
    write: async (record) => {
      let code: KeyOutcome['code'] = 'failed';
      try {
        const written = await room.accepting(() => roster.write(record));
        if (written !== undefined) events.decided(record.name, 'accepted');
        code = written === undefined ? 'key_state' : undefined;
        return written;
      } finally {
        note({ change: 'accept', id: record.name, fingerprint: fingerprint(record.identity), code });
      }
    },
  });
}

/** What a request calls a key, as far as it could be one. */
function namesIn(named: Value): Pick<KeyOutcome, 'id' | 'fingerprint'> {
  const { id, fingerprint: of } = isMap(named) ? named : {};
  return {
    id: typeof id === 'string' ? id.slice(0, 255).toWellFormed() : '',
    fingerprint: typeof of === 'string' ? of.slice(0, 128).toWellFormed() : '',
  };
}

/** `account.*`: the accounts of the host. @param masterAccount As the policy in force names it. */
export function accountHandler(roster: Roster, masterAccount: () => string): AdminHandler {
  const requests = new AccountRequests({
    records: () => roster.records(),
    fingerprintOf: fingerprint,
    keyFrom,
    masterAccount,
    write: async (record) => (await roster.write(record))?.record,
  });
  return (fun, args) => requests.handle(fun, args);
}

function keyFrom(text: string): Uint8Array | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? fromHex(text) : undefined;
}
