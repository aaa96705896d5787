/**
 * The port of libs/bus over OpenTelemetry's SDK: steps become spans, which go out in batches as OTLP over HTTP.
 *
 * Which step is under way is Node's own asynchronous context, so that nothing between two steps has to carry it. Loaded only
 * when there is an endpoint; names and attributes are in docs/operations.md#traces.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type Context, ROOT_CONTEXT, type Span, SpanKind, trace, TraceFlags, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { OpenStep, Sending, StepFacts, StepName, ToldMessage, Tracing } from '@natrium/bus';
import type { LiveTracing, TracingOptions } from './live-tracing.js';
import { Reporting } from './reporting.js';
import { attributesOf, failed, messageAttributes } from './span-attributes.js';
import { tellLosses } from './telling-losses.js';

/** Kinds of messages that belong to somebody's request; what a cluster's parties say among themselves is in no trace. */
const TRACED: ReadonlySet<string> = new Set(
  ['publish', 'runner', 'grant', 'job', 'return', 'run', 'wheel', 'read', 'mine', 'fire', 'admin', 'auth'], // prettier-ignore
);
/** Kinds that begin a trace where they come in, when their sender has none. */
const BEGINS: ReadonlySet<string> = new Set(['publish', 'runner']);
/** Spans wait so long for company. */
const BATCH_MS = 1000;
const SEND_MS = 5000;
/** A process that ends waits no longer for whoever takes its last spans. */
const CLOSE_MS = 1000;

type Of = TraceOf | undefined;
type TraceOf = NonNullable<Parameters<Tracing['receive']>[1]>;

export function sendTraces(options: TracingOptions): LiveTracing {
  const url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`;
  tellLosses(url, options.onProblem);
  const exporter = new Reporting(new OTLPTraceExporter({ url, timeoutMillis: SEND_MS }), url, options.onProblem);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'natrium',
      'service.name': `natrium-${options.service}`,
      'service.instance.id': options.instance,
      'natrium.cluster': options.cluster,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: BATCH_MS, exportTimeoutMillis: SEND_MS }),
    ],
  });
  return {
    tracing: new OtelTracing(provider.getTracer('natrium')),
    close: async () => {
      const sent = provider.shutdown().catch(() => undefined); // `Reporting` has told why
      await Promise.race([sent, pause(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}

class OtelTracing implements Tracing {
  readonly isOn = true;
  readonly #current = new AsyncLocalStorage<Span | undefined>();

  constructor(private readonly tracer: Tracer) {}

  send(message: ToldMessage): Sending | undefined {
    const parent = this.#current.getStore();
    if (parent === undefined || !TRACED.has(message.kind)) return undefined;
    const attributes = messageAttributes('send', message);
    const span = this.tracer.startSpan(`send ${message.kind}`, { kind: SpanKind.PRODUCER, attributes }, under(parent));
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      trace: { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 },
      end: (failure) => {
        endSpan(span, failure);
      },
    };
  }

  receive<T>(message: ToldMessage, came: Of, work: () => T): T {
    if (!TRACED.has(message.kind) || (came === undefined && !BEGINS.has(message.kind))) return this.apart(work);
    const attributes = messageAttributes('process', message);
    const parent = came === undefined ? ROOT_CONTEXT : from(came);
    const span = this.tracer.startSpan(`process ${message.kind}`, { kind: SpanKind.CONSUMER, attributes }, parent);
    return this.#during(span, work);
  }

  step<T>(name: StepName, facts: StepFacts, work: () => T): T {
    const parent = this.#current.getStore();
    if (parent === undefined) return work();
    return this.#during(this.tracer.startSpan(name, { attributes: attributesOf(facts) }, under(parent)), work);
  }

  begin(name: StepName, facts: StepFacts): OpenStep {
    const parent = this.#current.getStore();
    const where = parent === undefined ? ROOT_CONTEXT : under(parent);
    const span = this.tracer.startSpan(name, { attributes: attributesOf(facts) }, where);
    return {
      within: (work) => this.#current.run(span, work),
      note: (more) => {
        noteOn(span, more);
      },
      end: (failure) => {
        endSpan(span, failure);
      },
    };
  }

  note(facts: StepFacts): void {
    const span = this.#current.getStore();
    if (span !== undefined) noteOn(span, facts);
  }

  apart<T>(work: () => T): T {
    return this.#current.run(undefined, work);
  }

  /** A promise ends the span when it is settled; whoever waits for it hears of a failure as before. */
  #during<T>(span: Span, work: () => T): T {
    try {
      const result = this.#current.run(span, work);
      if (!(result instanceof Promise)) {
        span.end();
        return result;
      }
      const ended = result.then(
        (value: unknown) => {
          span.end();
          return value;
        },
        (cause: unknown) => {
          endSpan(span, nameOf(cause));
          throw cause;
        },
      );
      return ended as T;
    } catch (cause) {
      endSpan(span, nameOf(cause));
      throw cause;
    }
  }
}

function under(parent: Span): Context {
  return trace.setSpan(ROOT_CONTEXT, parent);
}

function from({ traceId, spanId, isSampled }: TraceOf): Context {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function noteOn(span: Span, facts: StepFacts): void {
  span.setAttributes(attributesOf(facts));
  if (facts.refusal !== undefined) failed(span, facts.refusal);
}

function endSpan(span: Span, failure?: string): void {
  if (failure !== undefined) failed(span, failure);
  span.end();
}

/** The kind of the error: its message may hold anything. */
function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : 'error';
}
