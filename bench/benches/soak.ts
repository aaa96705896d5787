/**
 * Memory of each process over a long time under a steady load: minion `a` asks `b`, and `c` does nothing, for comparison.
 *
 * `NATRIUM_SOAK_MINUTES=60 npm run bench -- soak`; `NATRIUM_SOAK_CSV=FILE` keeps the curve: minutes, process, MB.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Run } from '../bench.js';
import { type Cluster, MASTER_FILE } from '../cluster.js';
import type { Measured } from '../figures.js';
import { AgentSocket } from '../../tests/support/agent-socket.js';
import { memoryBelow } from '../processes.js';

const MINUTES = Number(process.env['NATRIUM_SOAK_MINUTES'] ?? 3);
const CSV = process.env['NATRIUM_SOAK_CSV'];
const PER_SECOND = 100;
const TICK_MS = 10;
/** A machine that cannot do as many asks fewer, and the rate says so. */
const MOST_AT_ONCE = 64;
const SAMPLE_MS = 10_000;
const MINUTE_MS = 60_000;
/** Caches fill and code is compiled before this. */
const SETTLED_MINUTES = Math.min(10, MINUTES / 3);
const MANY = 100_000;
/** What the broker holds of a job goes with the job: kept for a day, its memory grows for a day, and that is all that an hour would show. */
const KEEP_JOBS_S = 300;

export const soak: Bench = {
  name: 'soak',
  about: `memory of each process over ${String(MINUTES)} minutes of ${String(PER_SECOND)} jobs a second`,
  measure: async (run) => {
    const cluster = await run.startCluster('soak', {
      master: `${MASTER_FILE}keep_jobs_seconds: ${String(KEEP_JOBS_S)}\n`,
    });
    const load = await Load.begin(cluster.socket('a'), 'b');
    try {
      const curve = await watch(run, cluster, load);
      return [{ metric: 'jobs', unit: '1/s', value: load.done / (MINUTES * 60) }, ...figuresOf(curve)];
    } finally {
      await load.end();
      await cluster.stop();
    }
  },
};

/** Calls at a steady rate, whatever each takes. */
class Load {
  done = 0;
  #sent = 0;
  readonly #began = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #free: AgentSocket[];
  #failed: Error | undefined;

  private constructor(
    private readonly calls: readonly AgentSocket[],
    private readonly target: string,
  ) {
    this.#free = [...calls];
    this.#timer = setInterval(() => {
      this.#sendDue();
    }, TICK_MS);
  }

  static async begin(socket: string, target: string): Promise<Load> {
    return new Load(await Promise.all(Array.from({ length: MOST_AT_ONCE }, () => AgentSocket.open(socket))), target);
  }

  /** @throws {Error} What the first call failed with. */
  check(): void {
    if (this.#failed !== undefined) throw this.#failed;
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    const until = performance.now() + SAMPLE_MS;
    while (this.#free.length < this.calls.length && performance.now() < until) await pause(TICK_MS);
    for (const call of this.calls) call.close();
  }

  #sendDue(): void {
    const due = ((performance.now() - this.#began) / 1000) * PER_SECOND;
    while (this.#sent < due) {
      const call = this.#free.pop();
      if (call === undefined) return;
      this.#sent += 1;
      void this.#ask(call);
    }
  }

  async #ask(call: AgentSocket): Promise<void> {
    try {
      await call.returned('publish.publish', this.target, 'test.ping');
      this.done += 1;
    } catch (cause) {
      this.#failed ??= cause instanceof Error ? cause : new Error(String(cause));
    }
    this.#free.push(call);
  }
}

interface Point {
  readonly minutes: number;
  readonly jobs: number;
  readonly name: string;
  readonly rss: number;
}

async function watch(run: Run, { pid }: Cluster, load: Load): Promise<readonly Point[]> {
  const curve: Point[] = [];
  if (CSV !== undefined) writeFileSync(CSV, 'minutes,process,MB\n');
  const began = performance.now();
  while (performance.now() - began < MINUTES * MINUTE_MS) {
    await pause(SAMPLE_MS);
    load.check();
    const minutes = (performance.now() - began) / MINUTE_MS;
    const points = memoryBelow(pid).map(({ name, rss }) => ({ minutes, jobs: load.done, name, rss }));
    curve.push(...points);
    if (CSV !== undefined)
      appendFileSync(CSV, points.map(({ name, rss }) => `${minutes.toFixed(2)},${name},${rss.toFixed(2)}\n`).join(''));
    if (Math.round(minutes * 6) % 30 === 0) run.note(`${minutes.toFixed(0)} minutes, ${String(load.done)} jobs`);
  }
  return curve;
}

function figuresOf(curve: readonly Point[]): readonly Measured[] {
  const settled = curve.filter(({ minutes }) => minutes >= SETTLED_MINUTES);
  return [...new Set(settled.map(({ name }) => name))].flatMap((name) => {
    const points = settled.filter((point) => point.name === name);
    const afterMany = points.find(({ jobs }) => jobs >= MANY);
    const rss = (when: string, point: Point | undefined) =>
      point === undefined ? [] : [{ metric: `${name}: RSS ${when}`, unit: 'MB', value: point.rss }];
    return [
      ...rss(`after ${SETTLED_MINUTES.toFixed(0)} minutes`, points[0]),
      ...rss(`after ${String(MANY)} jobs`, afterMany),
      ...rss('at the end', points.at(-1)),
      { metric: `${name}: grows`, unit: 'MB/h', value: slope(points) * 60 },
    ];
  });
}

/** Of the straight line through them that is nearest (least squares), in MB a minute. */
function slope(points: readonly Point[]): number {
  const mean = (of: (point: Point) => number) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [minutes, rss] = [mean((point) => point.minutes), mean((point) => point.rss)];
  const spread = points.reduce((sum, point) => sum + (point.minutes - minutes) ** 2, 0);
  return points.reduce((sum, point) => sum + (point.minutes - minutes) * (point.rss - rss), 0) / spread;
}
