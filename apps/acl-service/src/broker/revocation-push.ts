/**
 * Has the broker cut off whom the roster names: the list is made from the whole roster each time and pushed until the broker's
 * resolver returns just that list, so that replicas of this service converge whoever writes last.
 *
 * While a record cannot be read, the roster is not whole, and a list made from it would let somebody in again: whom the
 * broker cuts off stays cut off then.
 *
 * Spec: spec/broker.md#revocation.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { KeyRecord } from '@natrium/flow';
import type { Logger } from 'pino';
import { nameOf, RevocationList } from './revocation-list.js';
import type { Roster } from '../roster/roster.js';

const AGAIN_MS = 250;
/** Between two pushes: each costs the broker a look at all its connections, and this process a signature of tens of milliseconds. */
const BETWEEN_MS = 100;
/** How long an identity that was succeeded may still hear what was on its way to it: a job is granted for a minute. */
const SUCCEEDED_MS = 90_000;

/** Where the broker keeps the account, and with it the list: NATS keys, in order. */
export interface Resolver {
  write(revoked: readonly string[]): Promise<void>;
  read(): Promise<readonly string[]>;
}

type Records = Pick<Roster, 'records' | 'wasSucceeded' | 'isInDoubt' | 'isInDoubtAbout'>;

export class RevocationPush {
  readonly #list: RevocationList;
  /** The list as the broker has it; undefined: not known yet. */
  #revoked: readonly string[] | undefined;
  #looking: NodeJS.Immediate | undefined;
  #pushing = false;
  #again = false;
  #closed = false;

  constructor(
    private readonly resolver: Resolver,
    private readonly roster: Records,
    private readonly log: Pick<Logger, 'error'>,
    /** NATS keys of users that are never cut off. */
    fixed: ReadonlySet<string>,
  ) {
    this.#list = new RevocationList(fixed);
  }

  /** Pushes now, and on until the broker has the list. */
  async begin(): Promise<void> {
    if (await this.#push()) return;
    this.#again = true; // also where just this list was read: the account around it may be an earlier version's
    this.#pushSoon();
  }

  heed(record: KeyRecord, before: KeyRecord | undefined): void {
    if (this.roster.wasSucceeded(record.identity)) this.#spare(record);
    if (this.#list.mayChangeWith(record, before)) this.#pushSoon();
  }

  close(): void {
    this.#closed = true;
  }

  /** A succeeded identity is refused by the services at once, and by the broker only later, unless it is refused there already. */
  #spare(record: KeyRecord): void {
    const name = nameOf(record);
    if (this.#revoked?.includes(name) === true) return;
    this.#list.spare(name);
    setTimeout(() => {
      this.#list.spareNoMore(name);
      this.#pushSoon();
    }, SUCCEEDED_MS).unref();
  }

  #wanted(): readonly string[] {
    return this.#list.of(this.roster.records(), this.#kept());
  }

  /** While the roster is in doubt: those cut off now of whom no readable record says that they are accepted. They stay cut off. */
  #kept(): readonly string[] {
    const { roster } = this;
    if (!roster.isInDoubt) return [];
    const isSure = ({ state, identity }: KeyRecord) => state === 'accepted' && !roster.isInDoubtAbout(identity);
    const sure = new Set(roster.records().filter(isSure).map(nameOf));
    return (this.#revoked ?? []).filter((name) => !sure.has(name));
  }

  /** Once for all that changes in one turn of the event loop. */
  #pushSoon(): void {
    this.#looking ??= setImmediate(() => {
      this.#looking = undefined;
      this.#pushIfChanged();
    });
  }

  /** One push at a time; what changed meanwhile is in the next. */
  #pushIfChanged(): void {
    if (isSame(this.#wanted(), this.#revoked) && !this.#again) return;
    this.#again = true;
    if (!this.#pushing) void this.#pushAll();
  }

  async #pushAll(): Promise<void> {
    this.#pushing = true;
    try {
      while (this.#again && !this.#closed) {
        this.#again = false;
        const isPushed = await this.#push();
        this.#again ||= !isPushed;
        await pause(isPushed ? BETWEEN_MS : AGAIN_MS);
      }
    } finally {
      this.#pushing = false;
    }
  }

  /** @returns true when the resolver returns just this list. */
  async #push(): Promise<boolean> {
    try {
      if (this.roster.isInDoubt) {
        this.log.error('not every record of the roster can be read: whom the broker cuts off stays cut off');
        this.#revoked = await this.resolver.read(); // others may have cut off more
      }
      const wanted = this.#wanted();
      await this.resolver.write(wanted);
      if (!isSame(wanted, await this.resolver.read())) return false;
      this.#revoked = wanted;
      return true;
    } catch (error) {
      if (!this.#closed) this.log.error({ err: error }, 'the broker did not take the revocation list; trying again');
      return false;
    }
  }
}

function isSame(one: readonly string[], other: readonly string[] | undefined): boolean {
  return one.join(' ') === other?.join(' ');
}
