/** What takes traces in a test: OTLP over HTTP as JSON, kept as it came and as spans. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';

export interface SeenSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  /** `service.name` and `service.instance.id`. */
  readonly service: string;
  readonly instance: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly isError: boolean;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
}

interface Named {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Named[];
  readonly status: { readonly code?: number };
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Named[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const ERROR = 2;

export class TraceCollector {
  readonly #spans: SeenSpan[] = [];
  readonly #bodies: string[] = [];
  #listeners: (() => void)[] = [];
  /** What it answers; only 200 takes them. */
  status = 200;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<TraceCollector> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        if (collector.status === 200) collector.#take(request.url ?? '', Buffer.concat(parts).toString());
        response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
      });
    });
    const collector = new TraceCollector(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  /** What `trace_endpoint` takes. */
  get endpoint(): string {
    const address = this.server.address();
    return `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}`;
  }

  get spans(): readonly SeenSpan[] {
    return this.#spans;
  }

  /** All that was sent, as it came. */
  get text(): string {
    return this.#bodies.join('\n');
  }

  /** The whole trace of the first span that is as wanted, oldest first. */
  traceOf(isWanted: (span: SeenSpan) => boolean): readonly SeenSpan[] {
    const found = this.#spans.find(isWanted);
    const spans = this.#spans.filter(({ traceId }) => traceId === found?.traceId);
    return spans.sort((a, b) => Number(a.start - b.start));
  }

  /** Resolves when what has come, now or later, is enough. */
  until(isEnough: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isEnough()) return;
        this.#listeners = this.#listeners.filter((listener) => listener !== look);
        resolve();
      };
      this.#listeners.push(look);
      look();
    });
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  #take(path: string, text: string): void {
    if (path !== '/v1/traces') throw new Error(`traces came to ${path}`);
    this.#bodies.push(text);
    this.#spans.push(...spansIn(JSON.parse(text) as OtlpBody));
    for (const listener of this.#listeners) listener();
  }
}

function spansIn({ resourceSpans }: OtlpBody): readonly SeenSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const about = valuesOf(resource.attributes);
    const [service = '', instance = ''] = [about['service.name'], about['service.instance.id']];
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => asSeen(span, service, instance)));
  });
}

function asSeen(span: OtlpSpan, service: string, instance: string): SeenSpan {
  const { traceId, spanId, parentSpanId = '', name, attributes, status } = span;
  return {
    ...{ traceId, spanId, parentSpanId, name, service, instance },
    attributes: valuesOf(attributes),
    isError: status.code === ERROR,
    start: BigInt(span.startTimeUnixNano),
    end: BigInt(span.endTimeUnixNano),
  };
}

function valuesOf(attributes: readonly Named[]): Readonly<Record<string, string>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));
}

/** A trace as a tree, a line for each step: what, by whom, when it began and how long it took, in milliseconds. */
export function traceTree(spans: readonly SeenSpan[]): string {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const begin = spans.reduce((least, { start }) => (start < least ? start : least), spans[0]?.start ?? 0n);
  const ms = (ns: bigint) => (Number(ns) / 1e6).toFixed(1);
  const lines = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) => (parent === undefined ? !known.has(parentSpanId) : parentSpanId === parent))
      .flatMap((span) => {
        const name = `${'  '.repeat(depth)}${span.name}`;
        const by = span.service === 'natrium-minion' ? `minion ${span.instance}` : span.service.replace('natrium-', '');
        const times = `${ms(span.start - begin).padStart(8)} ${ms(span.end - span.start).padStart(8)}`;
        return [`${name.padEnd(34)}${by.padEnd(14)}${times}`, ...lines(span.spanId, depth + 1)];
      });
  return lines(undefined, 0).join('\n');
}
