/** `natriumctl event`: over the JSON socket of this host. Each event on its line, as `natrium-run state.event` prints them. */
import { randomUUID } from 'node:crypto';
import { isNativeError } from 'node:util/types';
import { BusGone, EventClient, EventProblem, type From, MATCH_TYPES, type SubscribeOptions } from '@natrium/events';
import { readJson, type ValueMap } from '@natrium/model';
import { EXIT } from '../common/exit-codes.js';
import { UsageError } from '../common/options.js';
import type { EventOptions, Io } from '../ports.js';
import { eventText } from './event-text.js';
import { findBus } from './find-bus.js';
import { KeptPlace } from './kept-place.js';
import { listenOn, type ToldEvent } from './listen-on.js';

/** Nobody who fires can know it. */
const MARK = `${randomUUID()}:`;

export async function runEvent(options: EventOptions, io: Io): Promise<number> {
  const found =
    options.socket === undefined ? findBus(options.configDir) : { ok: true as const, value: options.socket };
  if (!found.ok) return failed(found.error, EXIT.badConfig, io);
  const client = new EventClient(found.value);
  try {
    return options.verb === 'fire' ? await fire(client, options) : await listen(client, options, io);
  } catch (error) {
    if (error instanceof BusGone) return failed(error.message, EXIT.unavailable, io);
    if (error instanceof EventProblem) return failed(error.message, EXIT.failed, io);
    throw error;
  } finally {
    await client.close();
  }
}

function failed(sentence: string, exit: number, io: Io): number {
  io.err(`natriumctl event: error: ${sentence}\n`);
  return exit;
}

async function fire(client: EventClient, { words: [tag = '', data = '{}'] }: EventOptions): Promise<number> {
  await client.fire(tag, dataIn(data));
  return EXIT.ok;
}

/** Whether it is a map, the bus says. @throws {UsageError} */
function dataIn(text: string): ValueMap {
  try {
    return readJson(text, MARK) as ValueMap;
  } catch (error) {
    throw new UsageError(`fire: the data is no JSON: ${messageOf(error)}`);
  }
}

async function listen(client: EventClient, options: EventOptions, io: Io): Promise<number> {
  const place = placeOf(options);
  const ending = new AbortController();
  const asked = { ...subscription(options), from: beginning(options, place), signal: ending.signal };
  const off = io.onInterrupt(() => {
    ending.abort();
  });
  const isReplay = options.verb === 'replay';
  const begun = (cursor: string | undefined) => {
    place?.begin(cursor);
  };
  const gone = () => {
    io.err('natriumctl event: the event bus is gone; looked for again\n');
  };
  try {
    const events = isReplay
      ? await client.subscribe({ ...asked, until: 'now', exact: true })
      : listenOn(client, asked, { io, begun, gone });
    if (await show(events, options, { io, place })) return EXIT.ok;
    if (ending.signal.aborted) return EXIT.interrupted;
    return isReplay ? EXIT.ok : failed('the event bus is gone', EXIT.unavailable, io);
  } finally {
    off();
  }
}

/** @returns Whether as many came as were asked for. */
async function show(
  events: AsyncIterable<ToldEvent>,
  { pretty, count }: EventOptions,
  { io, place }: { readonly io: Io; readonly place: KeptPlace | undefined },
): Promise<boolean> {
  let shown = 0;
  for await (const event of events) {
    io.out(eventText(event, pretty));
    place?.keep(event.cursor);
    shown += 1;
    if (shown === count) return true;
  }
  return false;
}

function subscription({ words, match }: EventOptions): SubscribeOptions {
  const how = MATCH_TYPES.find((type) => type === match);
  if (match !== undefined && how === undefined) throw new UsageError(`--match is one of ${MATCH_TYPES.join(', ')}`);
  return {
    tags: words,
    ...(how === undefined ? {} : { match: how }),
  };
}

/** Known before the first event is shown, and that it can be kept. @throws {UsageError} */
function placeOf({ stateFile }: EventOptions): KeptPlace | undefined {
  try {
    return stateFile === undefined ? undefined : new KeptPlace(stateFile);
  } catch (error) {
    throw new UsageError(`option --state: ${messageOf(error)}`);
  }
}

function beginning({ verb, from }: EventOptions, place: KeptPlace | undefined): From {
  const kept = place?.cursor ?? '';
  const begin = kept === '' ? (from ?? (verb === 'replay' ? 'start' : 'now')) : kept;
  return begin === 'now' || begin === 'start' ? begin : placeIn(begin);
}

function placeIn(text: string): From {
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? { cursor: text } : { time };
}

function messageOf(error: unknown): string {
  return isNativeError(error) ? error.message : String(error);
}
