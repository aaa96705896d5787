/** `natriumctl event`: over the JSON socket of this host. Each event on its line, as `natrium-run state.event` prints them. */
import { accessSync, constants, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isNativeError } from 'node:util/types';
import { type BusEvent, BusGone, EventClient, EventProblem, type JsonMap, MATCH_TYPES } from '@natrium/events';
import { EXIT } from '../common/exit-codes.js';
import { UsageError } from '../common/options.js';
import type { EventOptions, Io } from '../ports.js';
import { eventText } from './event-text.js';
import { findBus } from './find-bus.js';

const OWNER_ONLY = 0o600;

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
function dataIn(text: string): JsonMap {
  try {
    return JSON.parse(text) as JsonMap;
  } catch (error) {
    throw new UsageError(`fire: the data is no JSON: ${messageOf(error)}`);
  }
}

async function listen(client: EventClient, options: EventOptions, io: Io): Promise<number> {
  const from = beginning(options);
  const ending = new AbortController();
  const off = io.onInterrupt(() => {
    ending.abort();
  });
  try {
    const events = await client.subscribe({ ...subscription(options), from, signal: ending.signal });
    let shown = 0;
    for await (const event of events) {
      io.out(eventText(event, options.pretty));
      keepPlace(options.stateFile, event);
      shown += 1;
      if (shown === options.count) return EXIT.ok;
    }
    if (ending.signal.aborted) return EXIT.interrupted;
    return options.verb === 'replay' ? EXIT.ok : failed('the event bus is gone', EXIT.unavailable, io);
  } finally {
    off();
  }
}

function subscription({ verb, words, match }: EventOptions) {
  const how = MATCH_TYPES.find((type) => type === match);
  if (match !== undefined && how === undefined) throw new UsageError(`--match is one of ${MATCH_TYPES.join(', ')}`);
  return {
    tags: words,
    ...(how === undefined ? {} : { match: how }),
    ...(verb === 'replay' ? { until: 'now' as const } : {}),
  };
}

/** Known before the first event is shown, and that its place can be kept. @throws {UsageError} */
function beginning({ verb, from, stateFile }: EventOptions) {
  const kept = stateFile === undefined ? '' : placeKeptIn(stateFile);
  const begin = kept === '' ? (from ?? (verb === 'replay' ? 'start' : 'now')) : kept;
  return begin === 'now' || begin === 'start' ? begin : placeIn(begin);
}

/** An empty file, or none, is a place that is still to come. @throws {UsageError} */
function placeKeptIn(file: string): string {
  try {
    const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    accessSync(dirname(file), constants.W_OK);
    return kept;
  } catch (error) {
    throw new UsageError(`option --state: ${messageOf(error)}`);
  }
}

function placeIn(text: string) {
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? { cursor: text } : { time };
}

function messageOf(error: unknown): string {
  return isNativeError(error) ? error.message : String(error);
}

/** The file is whole at any moment; an event that was shown and not noted is shown again. */
function keepPlace(file: string | undefined, { cursor }: BusEvent): void {
  if (file === undefined || cursor === '') return;
  writeFileSync(`${file}.new`, `${cursor}\n`, { mode: OWNER_ONLY });
  renameSync(`${file}.new`, file);
}
