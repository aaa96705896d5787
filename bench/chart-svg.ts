/**
 * A line chart as an SVG that needs nothing else: both axes by powers of ten, light or dark as its reader has it. Each line has its name at its
 * end and each point its value beside it, so that nothing depends on a colour.
 */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

export interface Chart {
  readonly title: string;
  /** One sentence for whoever does not see it. */
  readonly about: string;
  readonly xName: string;
  /** The first line is what the chart is about; the others are beside it. */
  readonly lines: readonly Line[];
}

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 64;
/** The first point stands off the words of the axis. */
const FIRST = 88;
const RIGHT = 488;
const TOP = 52;
const BOTTOM = 268;
/** Least distance of two names at the right, in pixels. */
const NAME_GAP = 16;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #59636e; }
  .title { font-size: 14px; font-weight: 600; fill: #1f2328; }
  .value { fill: #1f2328; text-anchor: middle; }
  .paper { fill: #ffffff; }
  .grid { stroke: #d1d9e0; stroke-width: 1; }
  .line { fill: none; stroke: #57606a; stroke-width: 2; stroke-dasharray: 5 4; }
  .dot { fill: #57606a; }
  .main .line { stroke: #0969da; stroke-dasharray: none; }
  .main .dot { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1; }
    .title, .value { fill: #f0f6fc; }
    .paper { fill: #0d1117; }
    .grid { stroke: #3d444d; }
    .line { stroke: #9198a1; }
    .dot { fill: #9198a1; }
    .main .line { stroke: #4493f8; }
    .main .dot { fill: #4493f8; }
  }
`;

/** @throws {RangeError} Without a point, or with one that is not above 0: it has no place between powers of ten. */
export function drawChart(chart: Chart): string {
  const points = chart.lines.flatMap((line) => line.points);
  if (points.length === 0) throw new RangeError(`nothing to draw: ${chart.title}`);
  const x = axis(points.map((point) => point.x), FIRST, RIGHT); // prettier-ignore
  const y = axis(points.map((point) => point.y), BOTTOM, TOP); // prettier-ignore
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" role="img" aria-labelledby="title about">`,
    `<title id="title">${escaped(chart.title)}</title>`,
    `<desc id="about">${escaped(chart.about)}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${String(WIDTH)}" height="${String(HEIGHT)}" rx="6"/>`,
    `<text class="title" x="16" y="26">${escaped(chart.title)}</text>`,
    ...y.steps.map((step) => across(step, y.at(step))),
    ...x.steps.map((step) => below(step, x.at(step))),
    `<text x="${String((LEFT + RIGHT) / 2)}" y="${String(HEIGHT - 12)}" text-anchor="middle">${escaped(chart.xName)}</text>`,
    ...drawLines(chart.lines, x, y),
    '</svg>',
    '',
  ].join('\n');
}

interface Axis {
  /** Powers of ten. */
  readonly steps: readonly number[];
  at(value: number): number;
}

function axis(values: readonly number[], from: number, to: number): Axis {
  if (values.some((value) => !(value > 0))) throw new RangeError('a value that is not above 0');
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(Math.ceil(Math.log10(Math.max(...values))), first + 1);
  return {
    steps: Array.from({ length: last - first + 1 }, (_, n) => 10 ** (first + n)),
    at: (value) => rounded(from + ((Math.log10(value) - first) / (last - first)) * (to - from)),
  };
}

function across(step: number, y: number): string {
  return `<line class="grid" x1="${String(LEFT)}" x2="${String(RIGHT)}" y1="${String(y)}" y2="${String(y)}"/><text x="${String(LEFT - 8)}" y="${String(y + 4)}" text-anchor="end">${numberText(step)}</text>`;
}

function below(step: number, x: number): string {
  return `<text x="${String(x)}" y="${String(BOTTOM + 18)}" text-anchor="middle">${numberText(step)}</text>`;
}

/** The first is drawn last, above the others, and has its values beside its points. */
function drawLines(lines: readonly Line[], x: Axis, y: Axis): readonly string[] {
  const names = nameHeights(lines.map(({ points }) => y.at(points.at(-1)?.y ?? 1)));
  return lines
    .map(({ name, points }, at) => {
      const places = points.map((point) => ({ left: x.at(point.x), top: y.at(point.y), value: point.y }));
      const path = places.map(({ left, top }) => `${String(left)},${String(top)}`).join(' ');
      const dots = places.map(
        ({ left, top }) => `<circle class="dot" cx="${String(left)}" cy="${String(top)}" r="3.5"/>`,
      );
      const values = places.map(
        ({ left, top, value }) =>
          `<text class="value" x="${String(left)}" y="${String(top - 10)}">${numberText(value)}</text>`,
      );
      const label = `<text x="${String(RIGHT + 14)}" y="${String((names[at] ?? 0) + 4)}">${escaped(name)}</text>`;
      const marks = at === 0 ? [...dots, ...values] : dots;
      return `<g${at === 0 ? ' class="main"' : ''}><polyline class="line" points="${path}"/>${marks.join('')}${label}</g>`;
    })
    .reverse();
}

/** Names beside the ends of their lines, moved apart where these are close. */
function nameHeights(ends: readonly number[]): readonly number[] {
  const heights = [...ends];
  const order = ends.map((_, at) => at).sort((a, b) => (ends[a] ?? 0) - (ends[b] ?? 0));
  let least = Number.NEGATIVE_INFINITY;
  for (const at of order) {
    heights[at] = Math.max(heights[at] ?? 0, least);
    least = (heights[at] ?? 0) + NAME_GAP;
  }
  return heights;
}

function numberText(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
