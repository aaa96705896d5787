/**
 * Listening that outlives the gateway which serves the socket: another one takes the socket over, and there the listening goes
 * on behind the last event or bookmark, so that nothing comes twice and nothing is left out.
 *
 * Spec: docs/event-bus.md#where-the-sockets-are.
 */
import { BusGone, type BusEvent, type EventClient, type SubscribeOptions, type Subscription } from '@natrium/events';
import type { ValueMap } from '@natrium/model';
import type { Io } from '../ports.js';

/** With its numbers as they were fired. */
export type ToldEvent = BusEvent<ValueMap>;

export interface ListenOnPorts {
  readonly io: Pick<Io, 'wait' | 'now'>;
  /** Hears where it begins; undefined where that is a time, or the start. */
  readonly begun?: (cursor: string | undefined) => void;
  /** The bus is gone, and is looked for. */
  readonly gone: () => void;
}

/** A gateway that stands by takes the sockets over within half a second; one that has to start takes longer. */
const PATIENCE_MS = 10_000;
const AGAIN_MS = 100;

/**
 * Ends when the signal is given, and ten seconds after the bus has gone.
 *
 * @throws {BusGone} When there is no bus to begin with. @throws {EventProblem} When the bus refuses the subscription.
 */
export async function* listenOn(
  client: EventClient,
  asked: Omit<SubscribeOptions, 'until'>,
  { io, begun, gone }: ListenOnPorts,
): AsyncGenerator<ToldEvent, void, undefined> {
  const { signal } = asked;
  let from = asked.from;
  const passed = (cursor: string) => {
    from = { cursor };
    asked.passed?.(cursor);
  };
  const options = { ...asked, passed };
  let events: Subscription<ValueMap> | undefined = await client.subscribe({ ...options, exact: true });
  let end: number | undefined;
  begun?.(events.cursor);
  while (events !== undefined) {
    const since = io.now();
    let hasHeard = false;
    if (events.cursor !== undefined) from = { cursor: events.cursor };
    for await (const event of events) {
      hasHeard = true;
      if (event.cursor !== '') from = { cursor: event.cursor };
      yield event;
    }
    if (signal?.aborted === true) return;
    // One that lets in and leaves at once is no bus that was found.
    if (end === undefined || hasHeard || io.now() - since >= PATIENCE_MS) {
      end = io.now() + PATIENCE_MS;
      gone();
    }
    events = await found(client, { ...options, ...(from === undefined ? {} : { from }) }, io, end);
  }
}

/** @returns undefined when there is none in time. */
async function found(
  client: EventClient,
  options: SubscribeOptions,
  io: Pick<Io, 'wait' | 'now'>,
  end: number,
): Promise<Subscription<ValueMap> | undefined> {
  while (io.now() < end) {
    await io.wait(AGAIN_MS);
    if (options.signal?.aborted === true) return undefined;
    try {
      return await client.subscribe({ ...options, exact: true });
    } catch (error) {
      if (!(error instanceof BusGone)) throw error;
    }
  }
  return undefined;
}
