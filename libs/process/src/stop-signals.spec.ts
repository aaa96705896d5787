/** Rules of what a process is told by a signal: to finish, or to end at once. */
import { EventEmitter } from 'node:events';
import { whenToldToStop } from './stop-signals.js';

/** What the process has done after each of these signals: which one stopped it, and whether it waits for nothing. */
function told(...signals: readonly string[]): readonly (readonly [stoppedBy: string, atOnce: boolean])[] {
  const source = new EventEmitter();
  const stops: (readonly [string, AbortSignal])[] = [];
  whenToldToStop((signal, atOnce) => stops.push([signal, atOnce]), source);
  for (const signal of signals) source.emit(signal, signal);
  return stops.map(([signal, { aborted }]) => [signal, aborted]);
}

it('SIGTERM lets it finish', () => {
  expect(told('SIGTERM')).toEqual([['SIGTERM', false]]);
});

it.each([['SIGINT'], ['SIGTERM', 'SIGTERM'], ['SIGTERM', 'SIGINT'], ['SIGINT', 'SIGTERM', 'SIGINT']])(
  'it ends at once, and is stopped once, after %s %s %s',
  (...signals) => {
    expect(told(...signals)).toEqual([[signals[0], true]]);
  },
);

it('nothing is stopped by another signal', () => {
  expect(told('SIGUSR2', 'SIGHUP')).toEqual([]);
});
