/** One run of benches: its temporary folder, its shared cluster, and the promise that nothing of it stays. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run } from './bench.js';
import { Cluster, type ClusterMore } from './cluster.js';

export class BenchRun implements Run {
  readonly #folder = mkdtempSync(join(tmpdir(), 'natrium-bench-'));
  readonly #stops = new Set<() => Promise<void> | void>();
  #shared: Promise<Cluster> | undefined;
  #ending: Promise<void> | undefined;

  cluster(): Promise<Cluster> {
    this.#shared ??= this.startCluster('shared');
    return this.#shared;
  }

  async startCluster(folder: string, more?: ClusterMore): Promise<Cluster> {
    const cluster = new Cluster(join(this.#folder, folder), more);
    this.atEnd(() => cluster.stop());
    await cluster.ready;
    return cluster;
  }

  atEnd(stop: () => Promise<void> | void): () => void {
    this.#stops.add(stop);
    return () => void this.#stops.delete(stop);
  }

  note(text: string): void {
    process.stderr.write(`bench: ${text}\n`);
  }

  /** Stops what was started last first; may be called again. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    for (const stop of [...this.#stops].reverse()) {
      // One that cannot be stopped must not keep the others.
      await Promise.resolve(stop()).catch(() => undefined);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
