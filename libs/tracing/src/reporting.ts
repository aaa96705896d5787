/** An exporter that says when nobody takes the traces: once, and again after somebody did. */
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

type Done = Parameters<SpanExporter['export']>[1];

const SUCCESS = 0;

export class Reporting implements SpanExporter {
  #isTold = false;

  constructor(
    private readonly inner: SpanExporter,
    private readonly url: string,
    private readonly onProblem: (sentence: string) => void,
  ) {}

  export(spans: ReadableSpan[], done: Done): void {
    this.inner.export(spans, (result) => {
      const code: number = result.code;
      const isLost = code !== SUCCESS;
      if (isLost && !this.#isTold)
        this.onProblem(`traces cannot be sent to ${this.url}: ${result.error?.message ?? 'no reason was given'}`);
      this.#isTold = isLost;
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.inner.shutdown();
  }

  forceFlush(): Promise<void> {
    return this.inner.forceFlush?.() ?? Promise.resolve();
  }
}
