/**
 * `natrium-run state.event [tagmatch] [count=N] [quiet=True] [pretty=True]`: prints events as they come, as Salt's runner.
 *
 * Spec: docs/event-bus.md.
 */
import { join } from 'node:path';
import { BusGone, EventClient, EventProblem } from '@natrium/events';
import { err, isTrue, ok, type Result, splitArguments, type Value } from '@natrium/model';
import { EXIT } from '../common/exit-codes.js';
import type { Printer } from '../common/printer.js';
import type { Io } from '../ports.js';
import { eventText } from './event-text.js';
import { findBus } from './find-bus.js';
import { listenOn, type ToldEvent } from './listen-on.js';

export interface StateEventPorts {
  readonly io: Io;
  /** Of what the runner returns; its events are no result. */
  readonly printer: Printer;
}

export async function stateEvent(configDir: string, args: readonly Value[], ports: StateEventPorts): Promise<number> {
  const { io } = ports;
  const asked = askedIn(args);
  if (!asked.ok) return failed(`state.event: ${asked.error}`, EXIT.usage, io);
  const { tagmatch, most, quiet, sockDir, pretty, node } = asked.value;
  const found = sockDir === undefined ? findBus(configDir, node) : ok(join(sockDir, `${node}_event.sock`));
  if (!found.ok) return failed(found.error, EXIT.badConfig, io);
  return listen(found.value, tagmatch, most, ports, (event) => {
    if (!quiet) io.out(eventText(event, pretty));
  });
}

interface Asked {
  readonly tagmatch: string;
  /** How many events. */
  readonly most: number;
  readonly quiet: boolean;
  readonly sockDir: string | undefined;
  readonly pretty: boolean;
  readonly node: 'master' | 'minion';
}

/** In Salt's order. */
const NAMES = ['tagmatch', 'count', 'quiet', 'sock_dir', 'pretty', 'node'] as const;

/** @returns The sentence for what means nothing: taken for something else, it would listen for ever to what nobody asked for. */
function askedIn(args: readonly Value[]): Result<Asked, string> {
  const { positional, named } = splitArguments(args);
  const unknown = Object.keys(named).find((name) => !NAMES.some((known) => known === name));
  if (unknown !== undefined) return err(`${unknown} is no argument of it`);
  if (positional.length > NAMES.length) return err('it takes six arguments at most');
  const given = (name: (typeof NAMES)[number]) => positional[NAMES.indexOf(name)] ?? named[name] ?? undefined;
  const [tagmatch = '*', count = -1, sockDir, node = 'master'] = [
    given('tagmatch'), given('count'), given('sock_dir'), given('node'),
  ]; // prettier-ignore
  if (typeof tagmatch !== 'string') return err('tagmatch is a text');
  if (typeof count !== 'number') return err('count is a number');
  if (sockDir !== undefined && typeof sockDir !== 'string') return err('sock_dir is a folder');
  if (node !== 'master' && node !== 'minion') return err("node is 'master' or 'minion'");
  const most = count >= 0 ? count : Number.POSITIVE_INFINITY;
  const [quiet, pretty] = [isTrue(given('quiet') ?? false), isTrue(given('pretty') ?? false)];
  return ok({ tagmatch, most, quiet, sockDir, pretty, node });
}

async function listen(
  path: string,
  tagmatch: string,
  most: number,
  { io, printer }: StateEventPorts,
  show: (event: ToldEvent) => void,
): Promise<number> {
  const ending = new AbortController();
  const off = io.onInterrupt(() => {
    ending.abort();
  });
  const gone = () => {
    io.err('natrium-run: the event bus is gone; looked for again\n');
  };
  try {
    const options = { tags: tagmatch, match: 'expr', signal: ending.signal } as const;
    let shown = 0;
    // As Salt's, it looks at the number after an event: 0 shows one.
    for await (const event of listenOn(new EventClient(path), options, { io, gone })) {
      show(event);
      shown += 1;
      if (shown >= most) break;
    }
    if (ending.signal.aborted) return EXIT.interrupted;
    if (shown < most) return failed('the event bus is gone', EXIT.unavailable, io);
    printer.show(null);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof BusGone) return failed(error.message, EXIT.unavailable, io);
    if (error instanceof EventProblem) return failed(error.message, EXIT.failed, io);
    throw error;
  } finally {
    off();
  }
}

function failed(sentence: string, exit: number, io: Io): number {
  io.err(`natrium-run: error: ${sentence}\n`);
  return exit;
}
