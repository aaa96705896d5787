/** Those who listen to one bus now: each event goes to everyone whose filter takes it. */
import { err, ok, type Result } from '@natrium/model';
import { type Heard, isGap } from '../event/event.js';
import { compileTags, type TagTest } from '../event/tag-filter.js';
import type { Listen } from './bus.js';
import { DEFAULT_LIMIT, Outlet } from './outlet.js';

const NOTHING: ReadonlyMap<string, number> = new Map();

export class Member {
  readonly outlet: Outlet;
  readonly #mayHear: TagTest;
  /** By sender: numbers up to this one were heard before, at another gateway. */
  skips: ReadonlyMap<string, number> = NOTHING;
  /** Told when the listener has left, or has all that it wanted. */
  onLeave: () => void = () => undefined;

  constructor(
    private readonly test: TagTest,
    { limit = DEFAULT_LIMIT, bookmarks, mayHear = () => true }: Listen,
    onClose: (member: Member) => void,
  ) {
    const left = () => {
      onClose(this);
      this.onLeave();
    };
    this.#mayHear = mayHear;
    this.outlet = new Outlet(Math.max(1, limit), left, bookmarks);
  }

  offer(event: Heard): void {
    if (this.skips.size > 0 && this.#wasHeard(event)) return;
    if (!isGap(event.tag) && !(this.#mayHear(event.tag) && this.test(event.tag))) return;
    this.outlet.push(this.skips.size === 0 ? event : { ...event, cursor: this.#placeAt(event.cursor) });
  }

  /** All up to this cursor of the bus was offered. */
  passed(cursor: string): void {
    this.outlet.passed(this.#placeAt(cursor));
  }

  /** All that this listener asked for was offered. */
  end(cursor: string): void {
    this.outlet.end(this.#placeAt(cursor));
  }

  #placeAt(cursor: string): string {
    let place = cursor;
    for (const [other, last] of this.skips) place += `~${other}:${String(last)}`;
    return place;
  }

  /** Once the last that was heard has come again, the place in the journal covers it: no cursor need name its sender any more. */
  #wasHeard(event: Heard): boolean {
    const at = event.id.lastIndexOf('.');
    const [sender, number] = [event.id.slice(0, at), Number(event.id.slice(at + 1))];
    const heard = this.skips.get(sender);
    if (heard === undefined) return false;
    if (number >= heard) this.skips = without(this.skips, sender);
    return number <= heard;
  }
}

export class Members {
  readonly #members = new Set<Member>();
  /** They still hear what they missed. */
  readonly #catchingUp = new Set<Member>();
  /** Told when the first comes and when the last has gone. */
  onAny: (isAny: boolean) => void = () => undefined;

  get size(): number {
    return this.#members.size;
  }

  /** A member that does not hear anything yet. */
  make(listen: Listen): Result<Member, string> {
    const test = compileTags(listen.tags ?? [], listen.match);
    if (!test.ok) return err(test.error);
    return ok(
      new Member(test.value, listen, (member) => {
        this.#catchingUp.delete(member);
        if (this.#members.delete(member) && this.#members.size === 0) this.onAny(false);
      }),
    );
  }

  /** It is no member yet: it hears first what it missed. */
  letCatchUp(member: Member): void {
    if (!member.outlet.closed) this.#catchingUp.add(member);
  }

  /** What they are told of is gone. They come back by their cursors. */
  endCatchingUp(): void {
    for (const member of this.#catchingUp) member.outlet.close();
  }

  /** @param cursor All up to it was offered to this one. */
  add(member: Member, cursor: string): void {
    this.#catchingUp.delete(member);
    if (member.outlet.closed) return;
    member.passed(cursor);
    this.#members.add(member);
    if (this.#members.size === 1) this.onAny(true);
  }

  tell(event: Heard): void {
    for (const member of this.#members) member.offer(event);
  }

  /** All up to the cursor of the bus was told. */
  passed(bus: { readonly cursor: string }): void {
    for (const member of this.#members) if (member.outlet.bookmarks) member.passed(bus.cursor);
  }

  close(): void {
    this.endCatchingUp();
    for (const member of this.#members) member.outlet.close();
  }
}

function without(map: ReadonlyMap<string, number>, key: string): ReadonlyMap<string, number> {
  return new Map([...map].filter(([name]) => name !== key));
}
