/** Traces as a collector takes them, kept as they came and as spans; and how a test reads them. */

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

type IsWanted = (span: SeenSpan) => boolean;

export class SeenSpans {
  readonly #spans: SeenSpan[] = [];
  readonly #bodies: string[] = [];
  #listeners: (() => void)[] = [];

  get spans(): readonly SeenSpan[] {
    return this.#spans;
  }

  /** All that was sent, as it came. */
  get text(): string {
    return this.#bodies.join('\n');
  }

  /** @param text One message of OTLP over HTTP, as JSON. */
  take(text: string): void {
    this.#bodies.push(text);
    this.#spans.push(...spansIn(JSON.parse(text) as OtlpBody));
    for (const listener of this.#listeners) listener();
  }

  /** The whole trace of the first span that is as wanted, oldest first. */
  traceOf(isWanted: IsWanted): readonly SeenSpan[] {
    const found = this.#spans.find(isWanted);
    const spans = this.#spans.filter(({ traceId }) => traceId === found?.traceId);
    return spans.sort((a, b) => Number(a.start - b.start));
  }

  /**
   * The first trace that begins with the first of these steps, once all of them are in it and each is below one that is too.
   *
   * @param steps As `arrowsOf` writes them.
   * @param isWanted Of its first span, where several begin alike.
   */
  async wholeTrace(steps: readonly string[], isWanted: IsWanted = () => true): Promise<readonly SeenSpan[]> {
    const begins = (span: SeenSpan) => span.parentSpanId === '' && arrowsOf([span])[0] === steps[0] && isWanted(span);
    await this.until(() => {
      const trace = this.traceOf(begins);
      const known = new Set(trace.map(({ spanId }) => spanId));
      const said = arrowsOf(trace);
      const isWhole = trace.every(({ parentSpanId }) => parentSpanId === '' || known.has(parentSpanId));
      return isWhole && steps.every((step) => said.includes(step));
    });
    return this.traceOf(begins);
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

/** Who did what below which step, in any order: `gateway: send job < process publish`. */
export function arrowsOf(trace: readonly SeenSpan[]): readonly string[] {
  const names = new Map(trace.map((span) => [span.spanId, span.name]));
  return trace.map((span) => `${whoDid(span)}: ${span.name} < ${names.get(span.parentSpanId) ?? 'nothing'}`).sort();
}

/** A trace as a tree, a line for each step: what, by whom, when it began and how long it took, in milliseconds. */
export function traceTree(spans: readonly SeenSpan[]): string {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const begin = spans.reduce((least, { start }) => (start < least ? start : least), spans[0]?.start ?? 0n);
  const ms = (ns: bigint) => (Number(ns) / 1e6).toFixed(1);
  const width = Math.max(...spans.map((span) => whoDid(span).length)) + 2;
  const lines = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) => (parent === undefined ? !known.has(parentSpanId) : parentSpanId === parent))
      .flatMap((span) => {
        const name = `${'  '.repeat(depth)}${span.name}`;
        const times = `${ms(span.start - begin).padStart(8)} ${ms(span.end - span.start).padStart(8)}`;
        return [`${name.padEnd(34)}${whoDid(span).padEnd(width)}${times}`, ...lines(span.spanId, depth + 1)];
      });
  return lines(undefined, 0).join('\n');
}

function whoDid({ service, instance }: SeenSpan): string {
  return service === 'natrium-minion' ? `minion ${instance}` : service.replace('natrium-', '');
}
