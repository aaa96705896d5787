/** What a service counts of itself, as Prometheus has it. One for each process: names and labels are in docs/operations.md. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** One figure for each value of a label. */
type Values = () => Iterable<readonly [string, number]>;

/** Seconds: half a millisecond is a request that waits for nothing; above 10 s somebody waits for minions. */
const LATENCIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export class ServiceMetrics {
  readonly registry = new Registry();
  readonly #unopened = this.counter(
    'natrium_unopened_messages_total',
    'Messages that were not opened, by reason',
    'reason',
  );
  readonly #failures = this.counter(
    'natrium_handler_failures_total',
    'Requests whose handler failed, by route',
    'route',
  );
  readonly #handled = this.histogram(
    'natrium_request_seconds',
    'From a request that was opened until its handler was done, by route',
    'route',
  );

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    collectDefaultMetrics({ register: this.registry });
  }

  /** A figure of each of several, looked up when somebody asks. */
  gauge(name: string, help: string, label: string, values: Values): void {
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset(); // of what is not there any more there is no figure
        for (const [of, value] of values()) this.set({ [label]: of }, value);
      },
    });
  }

  /** One figure of the process, looked up when somebody asks. */
  figure(name: string, help: string, value: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await value());
      },
    });
  }

  /** What is counted for each of several; @returns what adds to one's count. */
  counter(name: string, help: string, label: string): (of: string, count: number) => void {
    const counter = new Counter({ name, help, labelNames: [label], registers: [this.registry] });
    return (of, count) => {
      counter.inc({ [label]: of }, count);
    };
  }

  /** What is counted elsewhere, where each costs no more than an addition, and looked up when somebody asks. */
  total(name: string, help: string, value: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  }

  /** The same of each of several. */
  totals(name: string, help: string, label: string, values: Values): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [of, value] of values()) this.inc({ [label]: of }, value);
      },
    });
  }

  /** How long something takes, for each of several; @returns what takes one's seconds. */
  histogram(name: string, help: string, label: string): (of: string, seconds: number) => void {
    const histogram = new Histogram({
      name,
      help,
      labelNames: [label],
      buckets: LATENCIES,
      registers: [this.registry],
    });
    return (of, seconds) => {
      histogram.observe({ [label]: of }, seconds);
    };
  }

  unopened(reason: string): void {
    this.#unopened(reason, 1);
  }

  handlerFailed(route: string): void {
    this.#failures(route, 1);
  }

  handled(route: string, seconds: number): void {
    this.#handled(route, seconds);
  }
}
