/**
 * `natrium-run state.event [tagmatch] [count=N] [quiet=True] [pretty=True]`: prints events as they come, as Salt's runner.
 *
 * Spec: docs/event-bus.md.
 */
import { join } from 'node:path';
import { EventClient } from '@natrium/events';
import { messageOf, ok, splitArguments, type Value } from '@natrium/model';
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
  const { positional, named } = splitArguments(args);
  const given = (place: number, name: string): Value | undefined => positional[place] ?? named[name];
  const [tagmatch = '*', count = -1, quiet = false, sockDir, pretty = false, node = 'master'] = [
    given(0, 'tagmatch'), given(1, 'count'), given(2, 'quiet'), given(3, 'sock_dir'), given(4, 'pretty'), given(5, 'node'),
  ]; // prettier-ignore
  if (node !== 'master' && node !== 'minion') {
    io.err("natrium-run: error: state.event: node is 'master' or 'minion'\n");
    return EXIT.usage;
  }
  const found = typeof sockDir === 'string' ? ok(join(sockDir, `${node}_event.sock`)) : findBus(configDir, node);
  if (!found.ok) {
    io.err(`natrium-run: error: ${found.error}\n`);
    return EXIT.badConfig;
  }
  const most = typeof count === 'number' && count >= 0 ? count : Number.POSITIVE_INFINITY;
  const print = (text: string) => {
    if (quiet !== true) io.out(text);
  };
  return listen(found.value, typeof tagmatch === 'string' ? tagmatch : '*', most, ports, (event) => {
    print(eventText(event, pretty === true));
  });
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
    if (most > 0) {
      for await (const event of listenOn(new EventClient(path), options, { io, gone })) {
        show(event);
        shown += 1;
        if (shown >= most) break;
      }
    }
    if (ending.signal.aborted) return EXIT.interrupted;
    if (shown < most) {
      io.err('natrium-run: error: the event bus is gone\n');
      return EXIT.unavailable;
    }
    printer.show(null);
    return EXIT.ok;
  } catch (error) {
    io.err(`natrium-run: error: ${messageOf(error)}\n`);
    return EXIT.unavailable;
  } finally {
    off();
  }
}
