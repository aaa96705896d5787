/** Pictures of what was measured: whose points lie where they belong, and who draws nothing rather than something wrong. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawChart } from '../../bench/chart-svg.js';
import { writeFigures } from '../../bench/doc.js';
import { fanOutPictures } from '../../bench/fan-out-charts.js';
import { type Figure, figureOf } from '../../bench/figures.js';

const MARKED =
  '# P\n\n<!-- figures: written by `npm run bench -- --doc`, do not edit -->\nold\n<!-- /figures -->\n\nEnd.\n';

function measured(...sizes: readonly number[]): readonly Figure[] {
  return sizes.flatMap((n) => [
    figureOf('fan-out', { metric: `${n}: job and all returns, p50`, unit: 'ms', value: n / 2, raw: n / 10 }),
    figureOf('fan-out', { metric: `${n}: processor time per minion: master-gateway`, unit: 'µs', value: 200 }),
    figureOf('fan-out', { metric: `${n}: gateway memory after the jobs`, unit: 'MB', value: 60 + n / 100 }),
  ]);
}

describe('a chart', () => {
  it('has its points between powers of ten, and its words as text', () => {
    const points = [10, 100, 1000].map((x) => ({ x, y: x }));
    const svg = drawChart({ title: 'a < b & c', about: 'more', xName: 'n', lines: [{ name: 'one', points }] });
    expect(svg).toContain('<polyline class="line" points="88,268 288,160 488,52"/>');
    expect(svg).toContain('<title id="title">a &lt; b &amp; c</title>');
    expect(svg).toContain('prefers-color-scheme: dark');
    expect(svg).not.toMatch(/<script|href=|url\(/);
  });

  it('of nothing, or of what has no place on its axes, is not drawn', () => {
    const chart = { title: 't', about: 'a', xName: 'n' };
    expect(() => drawChart({ ...chart, lines: [] })).toThrow(RangeError);
    expect(() => drawChart({ ...chart, lines: [{ name: 'one', points: [{ x: 1, y: 0 }] }] })).toThrow(RangeError);
  });

  it('keeps the names of its lines apart', () => {
    const line = (name: string) => ({ name, points: [{ x: 1, y: 10 }, { x: 10, y: 50 }] }); // prettier-ignore
    const svg = drawChart({ title: 't', about: 'a', xName: 'n', lines: ['p', 'q', 'r'].map(line) });
    const heights = [...svg.matchAll(/y="([\d.]+)">[pqr]</g)].map(([, y]) => Number(y)).sort((a, b) => a - b);
    expect(heights.slice(1).map((y, at) => y - (heights[at] ?? 0))).toEqual([16, 16]);
  });
});

describe('the pictures of a run', () => {
  it('are those of what was measured for more than one number of minions', () => {
    expect(fanOutPictures(measured(10, 100)).map(({ file }) => file)).toEqual([
      'fan-out-time.svg',
      'fan-out-processor.svg',
      'fan-out-memory.svg',
    ]);
    expect(fanOutPictures(measured(10))).toEqual([]);
    expect(fanOutPictures([])).toEqual([]);
  });

  it('lie beside the page, which shows them above its table', () => {
    const folder = mkdtempSync(join(tmpdir(), 'nt-charts-'));
    const page = join(folder, 'performance.md');
    writeFileSync(page, MARKED);
    writeFigures(page, measured(10, 100, 1000));
    const text = readFileSync(page, 'utf8');
    const names = [...text.matchAll(/!\[[^\]]+\]\(performance\/([a-z-]+\.svg)\)/g)].map(([, name]) => name);
    expect(names.sort()).toEqual(readdirSync(join(folder, 'performance')).sort());
    expect(names).toHaveLength(3);
    expect(text.indexOf('![')).toBeLessThan(text.indexOf('| bench |'));
    expect(text).toMatch(/^# P\n[^]*\nEnd\.\n$/);
    expect(text).not.toContain('old');
    rmSync(folder, { recursive: true });
  });
});
