import { EventEmitter } from 'node:events';
import { interruptsOf } from './interrupt-signal.js';

/** A process whose signals are told later than they arrive, and only to whoever has listened all the while, as Node's are. */
class Signals extends EventEmitter {
  readonly pid = 7;
  readonly killed: string[] = [];
  #arrived = false;

  kill(pid: number, signal: string): void {
    this.killed.push(`${String(pid)} ${signal}`);
  }

  arrives(): void {
    this.#arrived = true;
  }

  told(): void {
    if (this.#arrived) this.emit('SIGINT');
    this.#arrived = false;
  }

  override off(signal: string, hear: () => void): this {
    super.off(signal, hear);
    if (this.listenerCount(signal) === 0) this.#arrived = false;
    return this;
  }
}

describe('Ctrl-C', () => {
  it('is heard by the next wait where it comes as one ends', () => {
    const signals = new Signals();
    const onInterrupt = interruptsOf(signals);
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
    interruptsOf(signals)(() => undefined)();
    signals.arrives();
    signals.told();
    expect(signals.killed).toEqual(['7 SIGINT']);
    expect(signals.listenerCount('SIGINT')).toBe(0);
  });
});
