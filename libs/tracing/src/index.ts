/**
 * Traces of requests, for OpenTelemetry: off unless the configuration names where they go, and nothing of it is loaded then.
 *
 * What a step can say is a closed list (`StepFacts` of libs/bus), and what travels is in spec/envelope.md#trace.
 */
import { NO_TRACING } from '@natrium/bus';
import type { LiveTracing, TracingOptions } from './live-tracing.js';

export type { LiveTracing, TracingOptions };

export const NOT_TRACED: LiveTracing = { tracing: NO_TRACING, close: () => Promise.resolve() };

/** The SDK is a part of its own, which a process without traces never reads. */
export async function openTracing(options: TracingOptions): Promise<LiveTracing> {
  if (options.endpoint === '') return NOT_TRACED;
  const { sendTraces } = await import('./otel-tracing.js');
  return sendTraces(options);
}
