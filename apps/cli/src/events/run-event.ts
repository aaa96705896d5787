/** `natriumctl event`: over the JSON socket of this host. Each event on its line, as `natrium-run state.event` prints them. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type BusEvent, BusGone, EventClient, EventProblem, type JsonMap, MATCH_TYPES } from '@natrium/events';
import { EXIT } from '../common/exit-codes.js';
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
    if (error instanceof EventProblem || error instanceof SyntaxError) return failed(error.message, EXIT.failed, io);
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
  await client.fire(tag, JSON.parse(data) as JsonMap);
  return EXIT.ok;
}

async function listen(client: EventClient, options: EventOptions, io: Io): Promise<number> {
  const ending = new AbortController();
  const off = io.onInterrupt(() => {
    ending.abort();
  });
  try {
    const events = await client.subscribe({ ...subscription(options), signal: ending.signal });
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

function subscription({ verb, words, match, from, stateFile }: EventOptions) {
  const how = MATCH_TYPES.find((type) => type === match);
  if (match !== undefined && how === undefined) throw new EventProblem(`--match is one of ${MATCH_TYPES.join(', ')}`);
  const kept = stateFile !== undefined && existsSync(stateFile) ? readFileSync(stateFile, 'utf8').trim() : undefined;
  const begin = kept ?? from ?? (verb === 'replay' ? 'start' : 'now');
  return {
    tags: words,
    ...(how === undefined ? {} : { match: how }),
    ...(verb === 'replay' ? { until: 'now' as const } : {}),
    from: begin === 'now' || begin === 'start' ? begin : placeIn(begin),
  } as const;
}

function placeIn(text: string) {
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? { cursor: text } : { time };
}

/** The file is whole at any moment; an event that was shown and not noted is shown again. */
function keepPlace(file: string | undefined, { cursor }: BusEvent): void {
  if (file === undefined || cursor === '') return;
  writeFileSync(`${file}.new`, `${cursor}\n`, { mode: OWNER_ONLY });
  renameSync(`${file}.new`, file);
}
