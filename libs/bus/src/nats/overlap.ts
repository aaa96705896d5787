/**
 * While one connection takes over from another both hear the same: what comes twice is handled once, and in the order in which
 * it was sent. The old one has all of it until it gives up its subscriptions, so what the new one hears until then waits for
 * the rest of the old one's: a job's end that overtook a return would end the conversation without it.
 *
 * (In one queue group, the broker would hand each message to one of both connections; but its "no responders" knows no queue groups.)
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';

interface Held {
  readonly message: Pick<Msg, 'subject' | 'data'>;
  readonly handle: () => void;
}

export class Overlap {
  readonly #heard = new Set<string>();
  #held: Held[] | undefined = [];

  constructor(private readonly next: NatsConnection) {}

  hear(on: NatsConnection, message: Held['message'], handle: () => void): void {
    if (on === this.next && this.#held !== undefined) this.#held.push({ message, handle });
    else if (this.#isNew(message)) handle();
  }

  /**
   * Gives up the old connection's subscriptions once the broker knows the new ones, and hands on what waited.
   *
   * @param mostMs How long it waits for the old ones, which may be stuck, as on a node that stands still.
   */
  async takenOver(gone: readonly Subscription[], mostMs: number): Promise<void> {
    await seenOn(this.next);
    await Promise.race([Promise.all(gone.map(drained)), pause(mostMs, undefined, { ref: false })]);
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { message, handle } of held) if (this.#isNew(message)) handle();
  }

  /**
   * Sealed messages are never equal, so equal ones are one that came over both connections. An empty one, the broker's word that
   * nobody listens, comes only to the connection that asked, and again when it asks again.
   */
  #isNew({ subject, data }: Held['message']): boolean {
    if (data.length === 0) return true;
    const name = createHash('sha256').update(`${subject}\0`).update(data).digest('base64');
    if (this.#heard.has(name)) return false;
    this.#heard.add(name);
    return true;
  }
}

/** Resolves when the broker has seen all that was sent on it, also where it is lost in between; or when it is gone for good. */
async function seenOn(connection: NatsConnection): Promise<void> {
  const isSeen = () =>
    connection.flush().then(
      () => true,
      () => connection.isClosed(),
    );
  const gone = connection.closed().then(() => true);
  while (!(await Promise.race([isSeen(), gone])));
}

/** One that the broker refused is closed already, and would throw. */
export function drained(subscription: Subscription): Promise<void> {
  return subscription.isClosed() ? Promise.resolve() : subscription.drain();
}
