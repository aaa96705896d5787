/**
 * What an operator may do with keys: list, accept, reject, delete. Each names id *and* fingerprint, so that what was
 * looked at is what is accepted.
 *
 * Spec: spec/envelope.md#keys.
 */
import { err, isMap, ok, type Refusal, refusal, refuse, type Result, type Value } from '@natrium/model';
import type { KeyRecord, KeyState } from './join.js';

export interface KeyPorts {
  records(): readonly KeyRecord[];
  /** Every record of a minion of this name. */
  named(id: string): readonly KeyRecord[];
  fingerprintOf(key: Uint8Array): string;
  /** 64 hexadecimal digits, as `natrium-key -p` prints them. */
  textOf(key: Uint8Array): string;
  /** Whether one more minion may be accepted. */
  hasRoom(): boolean;
  /** Writes the new state; undefined when the record changed meanwhile. */
  change(record: KeyRecord, state: KeyState): Promise<KeyRecord | undefined>;
}

const CHANGES: ReadonlyMap<string, KeyState> = new Map([
  ['key.accept', 'accepted'],
  ['key.reject', 'rejected'],
  ['key.delete', 'deleted'],
]);

/** Told whoever accepts the key of this minion. */
export function noRoomFor(id: string): Refusal {
  return refusal('join_full', `${id} is not accepted: as many minions are as max_minions lets in`);
}

/** Hears what became of a key, as the request names it; undefined when the write failed, so that it may have been changed or not. */
type KeyTold = (named: Value, done: Result<string, Refusal> | undefined) => void;

export class KeyRequests {
  constructor(private readonly ports: KeyPorts) {}

  /** One key that is refused refuses the whole, though the others are changed: `told` hears of each. */
  async handle(fun: string, args: readonly Value[], told: KeyTold = () => undefined): Promise<Result<Value, Refusal>> {
    if (fun === 'key.list') return ok(this.#list());
    const state = CHANGES.get(fun);
    if (state === undefined) return refuse('bad_request', `there is no key request ${fun}`);
    // All at once, since each write waits for the broker's disk. A request that names one key twice loses a race against itself.
    const changing = args.map((arg) => this.#changeAndTell(arg, state, told));
    await Promise.allSettled(changing); // one that fails does not hide what became of the others
    const changed = await Promise.all(changing);
    const refused = changed.find((one) => !one.ok);
    return refused ?? ok(changed.flatMap((one) => (one.ok ? [one.value] : [])));
  }

  #list(): Value {
    return this.ports
      .records()
      .filter(({ kind, state }) => kind === 'minion' && state !== 'deleted')
      .map(({ name, identity, state }) => ({
        id: name,
        fingerprint: this.ports.fingerprintOf(identity),
        state,
        publicKey: this.ports.textOf(identity),
      }));
  }

  async #changeAndTell(arg: Value, state: KeyState, told: KeyTold): Promise<Result<string, Refusal>> {
    let done: Result<string, Refusal> | undefined;
    try {
      done = await this.#change(arg, state);
      return done;
    } finally {
      told(arg, done);
    }
  }

  async #change(arg: Value, state: KeyState): Promise<Result<string, Refusal>> {
    if (!isMap(arg) || typeof arg['id'] !== 'string' || typeof arg['fingerprint'] !== 'string') {
      return refuse('bad_request', 'a key is named by its id and its fingerprint');
    }
    const { id } = arg;
    const fingerprint = arg['fingerprint'].toLowerCase();
    const record = this.ports
      .named(id)
      .find(({ identity, state: now }) => now !== 'deleted' && this.ports.fingerprintOf(identity) === fingerprint);
    if (record === undefined) {
      return refuse('key_mismatch', `no key of ${id} has the fingerprint ${fingerprint}`);
    }
    if (state === 'accepted' && this.#otherAccepted(record)) {
      return refuse('key_state', `${id} already has another accepted key; delete that one first`);
    }
    if (state === 'accepted' && record.state !== 'accepted' && !this.ports.hasRoom()) return err(noRoomFor(id));
    const written = await this.ports.change(record, state);
    if (written === undefined) {
      return refuse('key_state', `the key of ${id} has just been changed by someone else; look again`);
    }
    return ok(id);
  }

  #otherAccepted(record: KeyRecord): boolean {
    return this.ports.named(record.name).some((other) => other !== record && other.state === 'accepted');
  }
}
