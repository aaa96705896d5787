/**
 * What OpenTelemetry's SDK says of spans that nobody has, though each that was sent was answered well: those that found no room behind a
 * slow collector, and those that a collector has not taken of a batch that it took (`partialSuccess`).
 */
import { DiagLogLevel, type DiagLogger, diag } from '@opentelemetry/api';
import { firstThenCounts } from '@natrium/bus';

/** How the SDK's sentences begin. Any other is not of a loss, and may say what a step has said. */
const LOSSES: readonly (readonly [kind: string, begins: RegExp])[] = [
  ['too slow', /^Dropped \d+ spans/],
  ['not taken', /^Received Partial Success/],
];
/** Of what a collector says. */
const MOST = 300;

/** @param tell Hears the first of each kind, and once a minute how many more there were. */
export function tellLosses(url: string, tell: (sentence: string) => void): void {
  const isFirst = firstThenCounts((counts) => {
    tell(`traces for ${url} are lost: in the last minute again, ${JSON.stringify(counts)}`);
  });
  const warn = (...said: unknown[]) => {
    const sentence = said.map(String).join(' ').slice(0, MOST);
    const [kind] = LOSSES.find(([, begins]) => begins.test(sentence)) ?? [];
    if (kind !== undefined && isFirst(kind)) tell(`traces for ${url} are lost: ${sentence}`);
  };
  const logger: DiagLogger = { warn, error: ignore, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** What could not be sent is told by `Reporting`. */
const ignore = (): void => undefined;
