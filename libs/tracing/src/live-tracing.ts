/** What traces are sent with, and how they end. */
import type { Tracing } from '@natrium/bus';

export interface TracingOptions {
  /** Where OTLP over HTTP is taken, `http://127.0.0.1:4318`; empty: no traces. */
  readonly endpoint: string;
  /** Of the traces that begin here, this part is kept: 0 to 1. */
  readonly ratio: number;
  readonly cluster: string;
  /** `gateway`, `minion`, `cli`… */
  readonly service: string;
  /** Which one of them. */
  readonly instance: string;
  /** Hears once when traces cannot be sent, and again after they could; of others that are lost the first, then a count each minute. */
  readonly onProblem: (sentence: string) => void;
}

export interface LiveTracing {
  readonly tracing: Tracing;
  /** Sends what has not been sent; whoever takes it too slowly misses the end. */
  close(): Promise<void>;
}
