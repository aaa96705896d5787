/** How a job's cost grows with its minions: pictures of the figures of `fan-out`, where these were measured for two numbers or more. */
import { type Chart, drawChart, type Line } from './chart-svg.js';
import type { Figure } from './figures.js';

export interface Picture {
  /** Its file below docs/performance. */
  readonly file: string;
  readonly title: string;
  readonly svg: string;
}

const X_NAME = 'minions of one job';

export function fanOutPictures(figures: readonly Figure[]): readonly Picture[] {
  const value = (metric: string) => lineOf(figures, metric, ({ value }) => value);
  const raw = (metric: string) => lineOf(figures, metric, ({ raw }) => raw ?? Number.NaN);
  const whole = 'job and all returns, p50';
  return [
    picture('fan-out-time', 'Milliseconds from the question to the last return', [
      { name: 'the whole job', points: value(whole) },
      { name: 'plain messages', points: raw(whole) },
      { name: 'without minions’ work', points: value('without the minions’ work, p50') },
    ]),
    picture('fan-out-processor', 'Microseconds of processor time for each minion of a job', [
      { name: 'master-gateway', points: value('processor time per minion: master-gateway') },
      { name: 'nats-server', points: value('processor time per minion: nats-server') },
      { name: 'acl-service', points: value('processor time per minion: acl-service') },
    ]),
    picture('fan-out-memory', 'Megabytes of memory of the gateway', [
      { name: 'after its jobs', points: value('gateway memory after the jobs') },
      { name: 'minions connected', points: value('gateway memory') },
    ]),
  ].filter((made) => made !== undefined);
}

/** Points with a place on the axes, by the number before the colon. */
function lineOf(figures: readonly Figure[], metric: string, of: (figure: Figure) => number): Line['points'] {
  return figures
    .filter((figure) => figure.bench === 'fan-out' && figure.metric.replace(/^\d+: /, '') === metric)
    .map((figure) => ({ x: Number.parseInt(figure.metric, 10), y: of(figure) }))
    .filter(({ x, y }) => x > 0 && y > 0)
    .sort((a, b) => a.x - b.x);
}

function picture(name: string, title: string, all: readonly Line[]): Picture | undefined {
  const [main] = all;
  if (main === undefined || main.points.length < 2) return undefined;
  const lines = all.filter(({ points }) => points.length > 0);
  const told = main.points.map(({ x, y }) => `${String(y)} at ${String(x)}`).join(', ');
  const chart: Chart = { title, about: `${main.name}: ${told} ${X_NAME}.`, xName: X_NAME, lines };
  return { file: `${name}.svg`, title, svg: drawChart(chart) };
}
