/** `natriumctl event`: over the JSON socket of this host. Each event on its line, as `natrium-run state.event` prints them. */
import { randomUUID } from 'node:crypto';
import { isNativeError } from 'node:util/types';
import {
  BusGone,
  EventClient,
  EventProblem,
  type From,
  MATCH_TYPES,
  type SubscribeOptions,
  timeOf,
} from '@natrium/events';
import { diskTrouble, mendOf } from '@natrium/keystore';
import { messageOf, readJson, type ValueMap } from '@natrium/model';
import { EXIT } from '../common/exit-codes.js';
import { UsageError } from '../common/options.js';
import { pathTrouble } from '../common/path-trouble.js';
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
    // The place cannot be kept: a disk is full, or its folder has gone.
    if (isNativeError(error) && 'syscall' in error) return failed(unkept(options, error), EXIT.failed, io);
    throw error;
  } finally {
    await client.close();
  }
}

function failed(sentence: string, exit: number, io: Io): number {
  io.err(`natriumctl event: error: ${sentence}\n`);
  return exit;
}

/** In words, and with what to do. */
function unkept({ stateFile = '' }: EventOptions, error: Error): string {
  const path = 'path' in error ? String(error.path) : stateFile;
  const trouble = mendOf(error) === undefined ? pathTrouble(path, error) : diskTrouble(path, error);
  return `the place of --state cannot be kept: ${trouble}`;
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
  let last = '';
  const passed = (cursor: string) => {
    if (cursor !== '') last = cursor;
    place?.keep(cursor);
  };
  const asked = { ...subscription(options), from: beginning(options, place), signal: ending.signal, passed };
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
    const rest = () => restOf(options, last);
    const events = isReplay ? replay(client, asked, rest) : listenOn(client, asked, { io, begun, gone });
    if (await show(events, options, { io, passed })) return EXIT.ok;
    if (ending.signal.aborted) return EXIT.interrupted;
    return isReplay ? EXIT.ok : failed('the event bus is gone', EXIT.unavailable, io);
  } finally {
    off();
  }
}

/**
 * Ends when all has come that there is.
 *
 * @throws {BusGone} When the bus goes away before, with what `rest` says of that.
 */
async function* replay(
  client: EventClient,
  asked: SubscribeOptions,
  rest: () => string,
): AsyncGenerator<ToldEvent, void, undefined> {
  const events = await client.subscribe({ ...asked, until: 'now', exact: true });
  try {
    yield* events;
  } catch (error) {
    throw error instanceof BusGone ? new BusGone(rest(), { cause: error }) : error;
  }
}

/** What is missing of a replay that was cut off behind this cursor, and how to hear it. */
function restOf({ stateFile }: EventOptions, last: string): string {
  const goOn = last === '' ? 'begin again' : `go on with --from ${last}`;
  const how = stateFile === undefined ? goOn : 'the same command goes on with it';
  return `the event bus went away before the replay was over, and the rest of it is missing: ${how}`;
}

interface ShowPorts {
  readonly io: Io;
  /** Hears the cursor of each event that is shown. */
  readonly passed: (cursor: string) => void;
}

/** @returns Whether as many came as were asked for. */
async function show(
  events: AsyncIterable<ToldEvent>,
  { pretty, count }: EventOptions,
  { io, passed }: ShowPorts,
): Promise<boolean> {
  let shown = 0;
  for await (const event of events) {
    io.out(eventText(event, pretty));
    passed(event.cursor);
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
  if (stateFile === undefined) return undefined;
  try {
    return new KeptPlace(stateFile);
  } catch (error) {
    throw new UsageError(`option --state: ${pathTrouble(stateFile, error)}`);
  }
}

/** As every cursor begins. */
const PLACE = /^\d+\.\d+/;
const FORMS = 'start, now, a cursor, a time such as 2026-11-20T08:00:00Z';

/** @throws {UsageError} */
function beginning({ verb, from }: EventOptions, place: KeptPlace | undefined): From {
  const kept = place?.cursor ?? '';
  const begin = kept === '' ? (from ?? (verb === 'replay' ? 'start' : 'now')) : kept;
  if (begin === 'now' || begin === 'start') return begin;
  const there = placeIn(begin);
  if (kept === '' && 'cursor' in there && !PLACE.test(begin))
    throw new UsageError(`option --from: ${begin} is none of: ${FORMS}`);
  return there;
}

function placeIn(text: string): Exclude<From, string> {
  const time = /^\d{4}-/.test(text) ? timeOf(text) : Number.NaN;
  return Number.isNaN(time) ? { cursor: text } : { time };
}
