/**
 * `npm run bench -- [NAME…] [--list] [--json FILE] [--from FILE] [--doc]`: measures, prints a table, and writes
 * `[{bench, metric, unit, value, raw, ratio}]`.
 *
 * Everything it starts listens on loopback, lives in one temporary folder and ends with it, also on Ctrl-C.
 * What the figures mean: docs/performance.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { inRoot } from '../tests/support/places.js';
import type { Bench } from './bench.js';
import { BenchRun } from './bench-run.js';
import { readCommandLine, UnknownWords, type Wanted } from './command-line.js';
import { writeFigures } from './doc.js';
import { type Figure, figureOf } from './figures.js';
import { answerRaw, RESPONDER } from './raw-link.js';
import { registry } from './registry.js';
import { plainTable } from './table.js';

const FAILED = 1;
const USAGE = 2;
const INTERRUPTED = 130;
const DOC = inRoot('docs/performance.md');

async function main(words: readonly string[]): Promise<void> {
  const wanted = readCommandLine(words, registry);
  if (wanted.list) {
    for (const { name, about } of registry) process.stdout.write(`${name.padEnd(14)} ${about}\n`);
    return;
  }
  const figures = wanted.from === undefined ? await measureAll(wanted.benches) : readFigures(wanted.from);
  report(figures, wanted);
}

async function measureAll(benches: readonly Bench[]): Promise<readonly Figure[]> {
  const run = new BenchRun();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      void run.end().finally(() => process.exit(INTERRUPTED));
    });
  }
  const figures = machine();
  try {
    for (const bench of benches) {
      run.note(`${bench.name}: ${bench.about}`);
      const measured = await bench.measure(run);
      figures.push(...measured.map((one) => figureOf(bench.name, one)));
    }
  } finally {
    await run.end();
  }
  return figures;
}

/** Absolute times say nothing without these. */
function machine(): Figure[] {
  const [load = 0] = loadavg();
  return [
    figureOf('machine', { metric: 'cores', unit: '', value: availableParallelism() }),
    figureOf('machine', { metric: 'load at the start (1 min)', unit: '', value: load }),
  ];
}

function readFigures(file: string): readonly Figure[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Figure[];
}

function report(figures: readonly Figure[], { json, doc }: Wanted): void {
  process.stdout.write(plainTable(figures));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(figures, undefined, 2)}\n`);
  if (doc) writeFigures(DOC, figures);
}

const [word, url = '', subject = '', state = ''] = process.argv.slice(2);
if (word === RESPONDER) {
  await answerRaw(url, subject, state);
} else {
  try {
    await main(process.argv.slice(2));
    process.exit(0);
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof UnknownWords ? USAGE : FAILED);
  }
}
