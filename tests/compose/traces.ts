/** The traces of a publish and a runner of a minion, and of a command: each service's part, as the collector has it. */
import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { type SeenSpan, SeenSpans, traceTree } from '@natrium/testing';
import { stepsOfPublish, stepsOfRunner } from '../support/traces.js';
import type { Engine } from './engine.js';
import { logOf } from './steps.js';

const WORD = 'canary-argument';
/** What no span may say: arguments, here and of the load's jobs. */
const UNTOLD = [WORD, 'natrium/ledger'];
/** For the question itself, and for its last spans, of which each process keeps some for a second. */
const TIMEOUT_S = '60';
const SPANS_MS = 120_000;
/** The engine keeps long lines in pieces and forgets the oldest: it may begin with the end of one. */
const WHOLE = '{"resourceSpans":';

/** What the container `collector` has printed, and prints. */
class Collector {
  readonly seen = new SeenSpans();
  readonly #ended: Promise<unknown>;

  private constructor(
    private readonly engine: Engine,
    private readonly id: string,
    private readonly log: ChildProcess,
  ) {
    if (log.stdout === null) throw new Error('the log of the collector has no output');
    this.#ended = once(log, 'close');
    createInterface(log.stdout).on('line', (line) => {
      if (line.startsWith(WHOLE)) this.seen.take(line);
    });
  }

  static async follow(engine: Engine): Promise<Collector> {
    const id = await engine.container('collector');
    return new Collector(engine, id, engine.followLog(id));
  }

  /** @throws {Error} With what was expected and what came. */
  async whole(steps: readonly string[], fun: string): Promise<readonly SeenSpan[]> {
    const late = new AbortController();
    const found = await Promise.race([
      this.seen.wholeTrace(steps, ({ attributes }) => attributes['natrium.function'] === fun),
      pause(SPANS_MS, undefined, { signal: late.signal }),
    ]);
    late.abort();
    if (found !== undefined) return found;
    const { spans } = this.seen;
    const came = spans.length === 0 ? `no span came\n${await logOf(this.engine, this.id)}` : traceTree(spans);
    throw new Error(`no trace of ${fun} after ${String(SPANS_MS / 1000)} s with\n${steps.join('\n')}\nbut:\n${came}`);
  }

  async close(): Promise<void> {
    this.log.kill();
    await this.#ended;
  }
}

interface Asked {
  readonly container: string;
  readonly call: readonly string[];
  /** The function: its load has traces of this minion too. */
  readonly fun: string;
  readonly steps: readonly string[];
}

export interface Traces {
  /** Each trace that was asked for, by its call. */
  readonly trees: ReadonlyMap<string, string>;
  /** What the collector has, the load's with them. */
  readonly figures: Readonly<Record<string, number>>;
}

/** @throws {Error} When a service's part is not in a trace, or when a span says what was asked. */
export async function tracesOf(engine: Engine): Promise<Traces> {
  const [caller = '', target = ''] = (await engine.containers('minion-agent')).map((id) => id.slice(0, 12));
  const cli = await engine.container('cli');
  const collector = await Collector.follow(engine);
  const treeOf = async ({ container, call, fun, steps }: Asked) => {
    const said = await engine.docker('exec', container, ...call);
    if (!said.includes(target)) throw new Error(`${call.join(' ')}: ${target} is not in the answer: ${said}`);
    return [call.join(' '), traceTree(await collector.whole(steps, fun))] as const;
  };
  const byMinion = (call: readonly string[], fun: string, steps: readonly string[]) =>
    treeOf({ container: caller, call: ['natrium-call', ...call, `timeout=${TIMEOUT_S}`], fun, steps });
  try {
    const publish = ['publish.publish', target, 'test.arg', `[${WORD}]`];
    const trees = new Map([
      await byMinion(publish, 'test.arg', stepsOfPublish(`minion ${caller}`, target)),
      await byMinion(['publish.runner', 'manage.up'], 'manage.up', stepsOfRunner(`minion ${caller}`)),
      await treeOf({
        container: cli,
        call: ['natrium', '-t', TIMEOUT_S, target, 'test.arg', WORD],
        fun: 'test.arg',
        steps: stepsOfPublish('cli', target),
      }),
    ]);
    const { spans, text } = collector.seen;
    const told = UNTOLD.filter((word) => text.includes(word));
    if (told.length > 0) throw new Error(`spans say ${told.join(', ')}`);
    const traces = new Set(spans.map(({ traceId }) => traceId));
    return { trees, figures: { 'traces that the collector has': traces.size, '  spans in them': spans.length } };
  } finally {
    await collector.close();
  }
}
