import { EventEmitter } from 'node:events';
import { heardOf } from './interrupt-signal.js';
import type { EndSignal } from './ports.js';

/** A process whose signals are told later than they arrive, and only to whoever has listened all the while, as Node's are. */
class Signals extends EventEmitter {
  readonly pid = 7;
  readonly killed: string[] = [];
  #arrived: string | undefined;

  kill(pid: number, signal: string): void {
    this.killed.push(`${String(pid)} ${signal}`);
  }

  arrives(signal = 'SIGINT'): void {
    this.#arrived = signal;
  }

  told(): void {
    if (this.#arrived !== undefined) this.emit(this.#arrived, this.#arrived);
    this.#arrived = undefined;
  }

  override off(signal: string, hear: (signal: EndSignal) => void): this {
    super.off(signal, hear);
    if (this.listenerCount(signal) === 0 && this.#arrived === signal) this.#arrived = undefined;
    return this;
  }
}

describe('Ctrl-C', () => {
  it('is heard by the next wait where it comes as one ends', () => {
    const signals = new Signals();
    const onInterrupt = heardOf(signals, ['SIGINT']);
    const heard: string[] = [];
    const endOfFirst = onInterrupt(() => heard.push('first'));
    signals.arrives();
    endOfFirst();
    onInterrupt(() => heard.push('second'));
    signals.told();
    expect(heard).toEqual(['second']);
    expect(signals.killed).toEqual([]);
  });

  it('ends the process where nobody waits, as if nobody ever had', () => {
    const signals = new Signals();
    heardOf(signals, ['SIGINT'])(() => undefined)();
    signals.arrives();
    signals.told();
    expect(signals.killed).toEqual(['7 SIGINT']);
    expect(signals.listenerCount('SIGINT')).toBe(0);
  });
});

describe('each signal that would end the process', () => {
  const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

  it.each(ENDING)('is told by its name to whoever waits, and does not end it: %s', (signal) => {
    const signals = new Signals();
    const heard: string[] = [];
    heardOf(signals, ENDING)((name) => heard.push(name));
    signals.arrives(signal);
    signals.told();
    expect({ heard, killed: signals.killed }).toEqual({ heard: [signal], killed: [] });
  });

  it.each(ENDING)('ends it where nobody waits, and none is heard any more: %s', (signal) => {
    const signals = new Signals();
    heardOf(signals, ENDING)(() => undefined)();
    signals.arrives(signal);
    signals.told();
    expect(signals.killed).toEqual([`7 ${signal}`]);
    expect(ENDING.map((name) => signals.listenerCount(name))).toEqual([0, 0, 0]);
  });
});
