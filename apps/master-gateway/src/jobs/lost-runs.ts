/**
 * Runs that a gateway has left, and those of this one that go on when their time is over. The runner-service that works on one hands its
 * end to any gateway; when none has said for a while that it does, the run is lost, and that is kept and told as its end. Nothing runs
 * again, and what a run answers after all counts instead.
 *
 * Spec: spec/envelope.md#durability.
 */
import type { RoleLink } from '@natrium/edge';
import type { RunStart } from '@natrium/flow';
import type { Jid } from '@natrium/model';
import { contracts } from '@natrium/wire';
import { AtOnce } from '../at-once.js';
import type { KeptRuns } from './kept-runs.js';
import type { OpenRuns } from './open-runs.js';

/** So often the runner-services are asked. */
export const LOOK_MS = 5000;
/** A runner-service that was not answered by a gateway for ten seconds hands the end to another one. */
const QUIET_MS = 30_000;
const ASK_MS = 1500;
/** Runs that one question asks about. */
const MOST_ASKED = 256;
/** Of so many at once it is looked for whether they are still open. */
const LOOKED_FOR_AT_ONCE = 4;

export interface LostPorts {
  readonly open: Pick<OpenRuns, 'take' | 'isOpen'>;
  readonly kept: Pick<KeptRuns, 'lost'>;
  /** Which of these a runner-service says that it works on. */
  running(jids: readonly Jid[]): Promise<ReadonlySet<string>>;
  onProblem(problem: string, cause: unknown): void;
  /** Milliseconds that only rise. */
  now(): number;
}

export class LostRuns {
  /** By jid; `heard`: when a runner-service said last that it works on it, or it was left. */
  readonly #left = new Map<Jid, { readonly start: RunStart; heard: number }>();
  readonly #lookedFor = new AtOnce(LOOKED_FOR_AT_ONCE);
  #isLooking = false;

  constructor(private readonly ports: LostPorts) {}

  /** Looks after the runs of an instance that is gone; may be called again for the same one. @throws {Error} When not all are known. */
  async adopt(instance: string): Promise<void> {
    for await (const start of this.ports.open.take(instance)) this.watch(start);
  }

  /** Looks after one; may be called again for the same one. */
  watch(start: RunStart): void {
    if (!this.#left.has(start.jid)) this.#left.set(start.jid, { start, heard: this.ports.now() });
  }

  /** Called every few seconds. Never fails. */
  async look(): Promise<void> {
    if (this.#isLooking || this.#left.size === 0) return;
    this.#isLooking = true;
    try {
      const running = await this.ports.running([...this.#left.keys()]);
      const now = this.ports.now();
      for (const [jid, run] of this.#left) if (running.has(jid)) run.heard = now;
      const quiet = [...this.#left.values()].filter(({ heard }) => now - heard >= QUIET_MS);
      // One whose end cannot be told holds up no other.
      const ended = await Promise.allSettled(quiet.map(({ start }) => this.#end(start)));
      const failed = ended.find((one) => one.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    } catch (cause) {
      this.ports.onProblem(
        'of runs that a gateway has left it could not be found out or told what became of them',
        cause,
      );
    } finally {
      this.#isLooking = false;
    }
  }

  async #end(start: RunStart): Promise<void> {
    const { open, kept } = this.ports;
    const { jid } = start;
    if (await this.#lookedFor.run(() => open.isOpen(jid))) await kept.lost(start);
    this.#left.delete(jid);
  }
}

/** Asks every runner-service. One that says nothing may be at work, and hands over the end itself. */
export async function runningOn(link: RoleLink, jids: readonly Jid[]): Promise<ReadonlySet<string>> {
  const parts = Array.from({ length: Math.ceil(jids.length / MOST_ASKED) }, (_, part) =>
    jids.slice(part * MOST_ASKED, (part + 1) * MOST_ASKED),
  );
  const asked = link.directory.role('runner').flatMap((runner) =>
    parts.map(async (part) => {
      if (runner.owner.type !== 'role') return [];
      const subject = link.subjects.svcRunHere(runner.owner.instance);
      const question = { contract: contracts.presence, body: { jids: part }, subject, to: () => [runner] };
      const answer = await link.bus.ask(question, contracts.here, ASK_MS);
      return answer.ok ? answer.value.body.running : [];
    }),
  );
  return new Set((await Promise.all(asked)).flat());
}
