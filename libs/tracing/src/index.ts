/**
 * Traces of requests, for OpenTelemetry: off unless the configuration names where they go, and nothing of it is loaded then.
 *
 * What a step can say is a closed list (`StepFacts` of libs/bus), and what travels is in spec/envelope.md#trace.
 */
import { NO_TRACING, type Tracing } from '@natrium/bus';

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
  /** Hears once when traces cannot be sent, and again after they could. */
  readonly onProblem: (sentence: string) => void;
}

export interface LiveTracing {
  readonly tracing: Tracing;
  /** Sends what has not been sent; whoever takes it too slowly misses the end. */
  close(): Promise<void>;
}

export const NOT_TRACED: LiveTracing = { tracing: NO_TRACING, close: () => Promise.resolve() };

/** The SDK is a part of its own, which a process without traces never reads. */
export async function openTracing(options: TracingOptions): Promise<LiveTracing> {
  if (options.endpoint === '') return NOT_TRACED;
  const { sendTraces } = await import('./otel-tracing.js');
  return sendTraces(options);
}
