/** A bench is a name, what it says, and a function that measures; issues that come later add theirs to `registry.ts`. */
import type { Cluster, ClusterMore } from './cluster.js';
import type { Measured } from './figures.js';

/** What a bench gets of the run that it is part of. */
export interface Run {
  /** The cluster that all benches of this run share: three minions `a`, `b`, `c`, everything permitted. */
  cluster(): Promise<Cluster>;
  /** A cluster of its own in a folder of this run, which may exist already; the bench stops it, or the end of the run does. */
  startCluster(folder: string, more?: ClusterMore): Promise<Cluster>;
  /** Registers what has to end when the run does, however it does. @returns Forgets it again. */
  atEnd(stop: () => Promise<void> | void): () => void;
  /** Says on standard error what is being done. */
  note(text: string): void;
}

export interface Bench {
  readonly name: string;
  readonly about: string;
  measure(run: Run): Promise<readonly Measured[]>;
}
