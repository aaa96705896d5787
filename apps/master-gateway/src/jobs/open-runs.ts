/**
 * The runs that were granted and whose end is not kept yet, each with the gateway that sees to it (`u.<jid>` in the first bucket of jobs).
 * One whose gateway is gone is taken on by another, by compare-and-swap.
 *
 * Spec: spec/envelope.md#durability, spec/wire.md#open-run.
 */
import { readAsked, type Store } from '@natrium/bus';
import { decode, encode, type Wire } from '@natrium/envelope';
import type { RunStart } from '@natrium/flow';
import { type Jid, parseJid } from '@natrium/model';
import { readAs, records, writeAs } from '@natrium/wire';

export class OpenRuns {
  /** Those that began here, by jid, with their write. */
  readonly #begun = new Map<string, Promise<unknown>>();

  constructor(
    private readonly store: Pick<Store, 'create' | 'get' | 'update' | 'list' | 'delete'>,
    private readonly instance: string,
  ) {}

  /** @throws {Error} When it could not be written; it may be there all the same. */
  async begin({ bytes: request, caller, jid }: RunStart): Promise<void> {
    const { kind, name } = caller;
    const writing = this.store.create(
      keyOf(jid),
      encoded({ request, caller: { kind, name }, jid, instance: this.instance }),
    );
    this.#begun.set(jid, writing);
    await writing;
  }

  /** Its end is kept, or it is lost and that is said. */
  async end(jid: Jid): Promise<void> {
    await this.#begun.get(jid)?.catch(() => undefined);
    this.#begun.delete(jid);
    await this.store.delete(keyOf(jid));
  }

  async isOpen(jid: Jid): Promise<boolean> {
    if ((await this.store.get(keyOf(jid))) !== undefined) return true;
    this.#begun.delete(jid); // another gateway has kept its end
    return false;
  }

  /** Makes an instance's runs this one's. Those are among them of which an earlier call did not hear that they are. */
  async *take(instance: string): AsyncGenerator<RunStart> {
    for (const { key, value, revision } of await this.store.list('u.*')) {
      const run = readAs(records.OpenRun, decode(value));
      const isLeft = run.instance === instance;
      if (!isLeft && (run.instance !== this.instance || this.#begun.has(run.jid))) continue;
      const start = startOf(run);
      if (start === undefined) continue;
      if (
        !isLeft ||
        (await this.store.update(key, encoded({ ...run, instance: this.instance }), revision)) !== undefined
      )
        yield start;
    }
  }
}

function keyOf(jid: string): string {
  return `u.${jid}`;
}

function startOf({ request: bytes, caller, jid: text }: records.OpenRun): RunStart | undefined {
  const request = readAsked(bytes);
  const jid = parseJid(text);
  return request === undefined || jid === undefined ? undefined : { request, bytes, caller, jid };
}

function encoded(run: records.OpenRun): Uint8Array {
  return encode(writeAs(records.OpenRun, run) as Wire);
}
