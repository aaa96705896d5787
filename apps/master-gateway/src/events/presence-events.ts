/**
 * `salt/presence/present` and `/change`: every gateway looks at the same times, and the journal takes one answer for each.
 * What changed is told against the last answer that was stored, whoever gave it.
 */
import { type EventLog, type LoggedBatch, stampOf } from '@natrium/events';
import { isList, isMap } from '@natrium/model';
import type { records } from '@natrium/wire';

const SENDER = 'presence';
const ORIGIN = { kind: 'service', name: 'gateway' } as const;
const PRESENT = 'salt/presence/present';

export interface PresencePorts {
  readonly log: EventLog;
  /** Ids of the minions that answer now. */
  present(): Promise<readonly string[]>;
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

  async look(): Promise<void> {
    const now = this.ports.now();
    // Two numbers for each look: who is there, and what changed.
    const number = Math.floor(now / this.everyMs) * 2;
    const last = await this.ports.log.lastBatch(SENDER);
    if (last !== undefined && last.through >= number) return;
    const present = [...(await this.ports.present())].sort();
    const before = presentIn(last);
    const stamp = stampOf(now);
    const events: records.StoredEvent[] = [{ number, tag: PRESENT, data: { present }, stamp, origin: ORIGIN }];
    const data = {
      new: present.filter((id) => !before.includes(id)),
      lost: before.filter((id) => !present.includes(id)),
    };
    if (data.new.length > 0 || data.lost.length > 0) {
      events.push({ number: number + 1, tag: 'salt/presence/change', data, stamp, origin: ORIGIN });
    }
    await this.ports.log.append(SENDER, events, number + 1);
  }
}

function presentIn(batch: LoggedBatch | undefined): readonly string[] {
  const data = batch?.events.find(({ tag }) => tag === PRESENT)?.data;
  const present = isMap(data) ? data['present'] : undefined;
  return isList(present) ? present.filter((id) => typeof id === 'string') : [];
}
