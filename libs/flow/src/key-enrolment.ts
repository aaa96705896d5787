/**
 * Keys of minions that are let in before they come: an operator who holds their public halves names id, identity and NATS key,
 * many at once. It is what `pki/minions/<id>` does for one, without a file for each.
 *
 * All of a request is looked at before the first key is written. A name has at most one accepted key, a key never two names,
 * and a key that was turned away or is gone never comes back this way.
 *
 * Spec: spec/envelope.md#join.
 */
import {
  err,
  isMap,
  type MinionId,
  ok,
  parseMinionId,
  type Refusal,
  refuse,
  type Result,
  type Value,
} from '@natrium/model';
import type { KeyRecord } from './join.js';
import { noRoomFor } from './key-requests.js';

export interface EnrolPorts {
  records(): readonly KeyRecord[];
  /** The 32 bytes of 64 hexadecimal digits; undefined for everything else. */
  keyFrom(text: string): Uint8Array | undefined;
  textOf(key: Uint8Array): string;
  /** How many more minions may be accepted. */
  room(): number;
  /** undefined when the name or the key was taken meanwhile. */
  write(record: Omit<KeyRecord, 'revision'>): Promise<unknown>;
}

interface Wanted {
  readonly id: MinionId;
  readonly identity: Uint8Array;
  readonly nkey: Uint8Array;
}

interface Known {
  readonly byKey: ReadonlyMap<string, KeyRecord>;
  /** Keys of accepted minions, as text. */
  readonly keyOf: ReadonlyMap<string, string>;
}

export class KeyEnrolment {
  constructor(private readonly ports: EnrolPorts) {}

  /** @returns The ids, those included that had just this key already. */
  async handle(args: readonly Value[]): Promise<Result<Value, Refusal>> {
    const wanted = args.map((arg) => this.#read(arg));
    const whole = wanted.filter((one) => one !== undefined);
    if (whole.length !== wanted.length)
      return refuse('bad_request', 'a minion is enrolled with its id and the public halves of its key');
    const twice =
      repeated(whole.map(({ id }) => id)) ?? repeated(whole.map(({ identity }) => this.ports.textOf(identity)));
    if (twice !== undefined) return refuse('bad_request', `${twice} is named twice`);
    const known = this.#known();
    for (const one of whole) {
      const problem = this.#problemOf(one, known);
      if (problem !== undefined) return refuse('key_state', problem);
    }
    const missing = whole.filter(({ identity }) => known.byKey.get(this.ports.textOf(identity))?.state !== 'accepted');
    const tooMany = missing[Math.max(0, this.ports.room())];
    if (tooMany !== undefined) return err(noRoomFor(tooMany.id));
    const writing = missing.map((one) => this.#write(one));
    await Promise.allSettled(writing); // whoever is told of each write has heard of all when one fails
    const written = await Promise.all(writing);
    const lost = missing.find((_, at) => written[at] === undefined);
    return lost === undefined
      ? ok(whole.map(({ id }) => id))
      : refuse('key_state', `${lost.id} has just been given another key; look again`);
  }

  #read(arg: Value): Wanted | undefined {
    if (!isMap(arg)) return undefined;
    const id = parseMinionId(arg['id']);
    const identity = this.#keyFrom(arg['identity']);
    const nkey = this.#keyFrom(arg['nkey']);
    return id === undefined || identity === undefined || nkey === undefined ? undefined : { id, identity, nkey };
  }

  #keyFrom(text: Value | undefined): Uint8Array | undefined {
    return typeof text === 'string' ? this.ports.keyFrom(text) : undefined;
  }

  #known(): Known {
    const records = this.ports.records();
    return {
      byKey: new Map(records.map((record) => [this.ports.textOf(record.identity), record])),
      keyOf: new Map(
        records
          .filter(({ kind, state }) => kind === 'minion' && state === 'accepted')
          .map(({ name, identity }) => [name, this.ports.textOf(identity)]),
      ),
    };
  }

  #problemOf({ id, identity }: Wanted, { byKey, keyOf }: Known): string | undefined {
    const key = this.ports.textOf(identity);
    const record = byKey.get(key);
    const waits = record?.state === 'pending' || record?.state === 'accepted';
    if (record !== undefined && (record.kind !== 'minion' || record.name !== id || !waits))
      return `the key for ${id} has been used before; it needs a new one`;
    const other = keyOf.get(id);
    return other === undefined || other === key
      ? undefined
      : `${id} already has another accepted key; delete that one first`;
  }

  #write({ id: name, identity, nkey }: Wanted): Promise<unknown> {
    return this.ports.write({ kind: 'minion', name, identity, nkey, state: 'accepted' });
  }
}

function repeated(texts: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return texts.find((text) => seen.size === seen.add(text).size);
}
