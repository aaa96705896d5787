/**
 * `salt/presence/present` and `/change`. Every gateway looks at the same times, and the journal takes one answer for each of them. What
 * has changed is told against the last answer that was stored, by whichever gateway; a minion that is connected and silent stays what it
 * was then.
 */
import { type EventLog, type LoggedBatch, stampOf } from '@natrium/events';
import { isList, isMap } from '@natrium/model';
import type { records } from '@natrium/wire';
import type { Connected } from '../minions/presence.js';
import { ORIGIN } from './job-events.js';

const SENDER = 'presence';
const PRESENT = 'salt/presence/present';

export interface PresencePorts {
  readonly log: EventLog;
  connected(): Promise<Connected>;
  now(): number;
  onProblem(cause: unknown): void;
}

export class PresenceEvents {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly ports: PresencePorts,
    private readonly everyMs: number,
  ) {}

  start(): void {
    this.#timer = setInterval(() => {
      this.look().catch((cause: unknown) => {
        this.ports.onProblem(cause);
      });
    }, this.everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** How many were there at the last look of any gateway; `NaN` before the first. Nobody is asked for it. */
  async count(): Promise<number> {
    const last = await this.ports.log.lastBatch(SENDER);
    return last === undefined ? Number.NaN : presentIn(last).length;
  }

  async look(): Promise<void> {
    const now = this.ports.now();
    // Two numbers for each look: who is there, and what changed.
    const number = Math.floor(now / this.everyMs) * 2;
    const last = await this.ports.log.lastBatch(SENDER);
    if (last !== undefined && last.through >= number) return;
    const before = presentIn(last);
    const present = stillPresent(await this.ports.connected(), before);
    const stamp = stampOf(now);
    const events: records.StoredEvent[] = [{ number, tag: PRESENT, data: { present }, stamp, origin: ORIGIN }];
    const data = {
      new: without(present, before),
      lost: without(before, present),
    };
    if (data.new.length > 0 || data.lost.length > 0) {
      events.push({ number: number + 1, tag: 'salt/presence/change', data, stamp, origin: ORIGIN });
    }
    await this.ports.log.append(SENDER, events, number + 1);
  }
}

/** Silence says nothing of whether a minion is there. */
function stillPresent({ answering, silent }: Connected, before: readonly string[]): readonly string[] {
  const known = new Set(before);
  return [...answering, ...silent.filter((id) => known.has(id))].sort();
}

function presentIn(batch: LoggedBatch | undefined): readonly string[] {
  const data = batch?.events.find(({ tag }) => tag === PRESENT)?.data;
  const present = isMap(data) ? data['present'] : undefined;
  return isList(present) ? present.filter((id) => typeof id === 'string') : [];
}

function without(ids: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Set(others);
  return ids.filter((id) => !left.has(id));
}
