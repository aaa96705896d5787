/** What a service counts of itself, as Prometheus has it. One for each process: names and labels are in docs/operations.md. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { OPEN_REASONS } from '@natrium/envelope';
import { VERSION } from '@natrium/model';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ASKED_AGAIN } from './role-options.js';
import { type Failure, FAILURES } from './telling-failures.js';

/**
 * Values of a label that a counter shows from the start, at 0. For `rate` and `increase`, a series that only appears with its first count
 * has never risen, and an alert on it does not fire.
 */
type Known = Iterable<string>;

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
    [...OPEN_REASONS, 'receipt', ASKED_AGAIN],
  );
  readonly #failures = this.pairs(
    'natrium_handler_failures_total',
    'Requests whose handler failed, by route, and by whether that was a fault or an outage',
    ['route', 'why'],
    [],
  );
  readonly #handled = this.histogram(
    'natrium_request_seconds',
    'From a request that was opened until its handler was done, by route',
    'route',
  );

  readonly #ready: Gauge;
  /** Paths, by what they are for. */
  readonly #certificates = new Map<string, string>();

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    collectDefaultMetrics({ register: this.registry });
    const registers = [this.registry];
    this.#ready = new Gauge({ name: 'natrium_ready', help: '1 where /readyz says so, else 0', registers });
    new Gauge({
      name: 'natrium_build_info',
      help: 'What runs here, always 1',
      labelNames: ['version', 'node'],
      registers,
    }).set({ version: VERSION, node: process.version }, 1);
    this.gauge(
      'natrium_certificate_expire_timestamp_seconds',
      'When a certificate ends, by what it is for',
      'what',
      () => [...this.#certificates].flatMap(([what, path]) => endOf(path).map((end) => [what, end] as const)),
    );
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
  counter(name: string, help: string, label: string, known: Known): (of: string, count: number) => void {
    const counter = new Counter({ name, help, labelNames: [label], registers: [this.registry] });
    for (const of of known) counter.inc({ [label]: of }, 0);
    return (of, count) => {
      counter.inc({ [label]: of }, count);
    };
  }

  /** What is counted for each of several pairs; @returns what adds to a pair's count. */
  pairs(
    name: string,
    help: string,
    labels: readonly [string, string],
    known: Iterable<readonly [string, string]>,
  ): (first: string, second: string, count?: number) => void {
    const counter = new Counter({ name, help, labelNames: [...labels], registers: [this.registry] });
    const add = (first: string, second: string, count = 1) => {
      counter.inc({ [labels[0]]: first, [labels[1]]: second }, count);
    };
    for (const [first, second] of known) add(first, second, 0);
    return add;
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
  totals(name: string, help: string, label: string, known: Known, values: Values): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const of of known) this.inc({ [label]: of }, 0);
        for (const [of, value] of values()) this.inc({ [label]: of }, value);
      },
    });
  }

  /** How long something takes, for each of several; @param buckets Seconds. @returns what takes one's seconds. */
  histogram(
    name: string,
    help: string,
    label: string,
    buckets: readonly number[] = LATENCIES,
  ): (of: string, seconds: number) => void {
    const histogram = new Histogram({
      name,
      help,
      labelNames: [label],
      buckets: [...buckets],
      registers: [this.registry],
    });
    return (of, seconds) => {
      histogram.observe({ [label]: of }, seconds);
    };
  }

  /** Tells when a certificate ends, as its file says at each look; a file that is not here is left out. @param path Of a PEM file. */
  certificate(what: string, path: string): void {
    this.#certificates.set(what, path);
  }

  ready(isReady: boolean): void {
    this.#ready.set(Number(isReady));
  }

  unopened(reason: string): void {
    this.#unopened(reason, 1);
  }

  /** Shows the failures of a route that is served here, from 0 on. */
  serves(route: string): void {
    for (const why of FAILURES) this.#failures(route, why, 0);
  }

  handlerFailed(route: string, why: Failure): void {
    this.#failures(route, why);
  }

  handled(route: string, seconds: number): void {
    this.#handled(route, seconds);
  }
}

/** In seconds since 1970; nothing where it cannot be read. */
function endOf(path: string): readonly number[] {
  try {
    return [Date.parse(new X509Certificate(readFileSync(path)).validTo) / 1000];
  } catch {
    return [];
  }
}
