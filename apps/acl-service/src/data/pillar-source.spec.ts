import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sodiumReady } from '@natrium/envelope';
import { pino } from 'pino';
import { PillarSource } from './pillar-source.js';

const folder = mkdtempSync(join(tmpdir(), 'nt-source-'));
const lines: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });

beforeAll(sodiumReady);
beforeEach(() => {
  lines.length = 0;
  writeFileSync(join(folder, 'top.sls'), "base:\n  '*': [common]\n  'G@os:Debian': [debian]\n");
  writeFileSync(join(folder, 'common.sls'), 'a: 1\n');
  writeFileSync(join(folder, 'debian.sls'), 'apt: yes\n');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function aSource(): PillarSource {
  const source = new PillarSource(() => ({ pillar_roots: { base: [folder] }, nodegroups: {} }), log);
  source.reload();
  return source;
}

const debian = { os: 'Debian' };
const alpine = { os: 'Alpine' };

describe('the source of pillar', () => {
  it('gives each minion what its grains choose, and the same object while nothing changes', () => {
    const source = aSource();
    expect(source.of('web1', debian).pillar).toEqual({ a: 1, apt: true });
    expect(source.of('web1', alpine).pillar).toEqual({ a: 1 });
    expect(source.of('web1', debian)).toBe(source.of('web1', debian));
    expect(source.of('web2', debian).pillar).toEqual({ a: 1, apt: true });
  });

  it('names equal pillar by the same revision on every replica, and other pillar by another', () => {
    const [one, two] = [aSource(), aSource()];
    expect(one.of('web1', debian).revision).toBe(two.of('web9', { ...debian }).revision);
    expect(one.of('web1', debian).revision).not.toBe(one.of('web1', alpine).revision);
  });

  it('reads again when it is told to, and says what has a problem, with file and line', () => {
    const source = aSource();
    const before = [source.of('web1', debian), source.revision] as const;
    writeFileSync(join(folder, 'common.sls'), '# new\na: {{ b }}\n');
    expect(source.of('web1', debian)).toBe(before[0]);
    source.reload();
    expect(source.of('web1', debian).pillar).toEqual({ apt: true });
    expect(source.revision).toBeGreaterThan(before[1]);
    expect(lines.join('')).toContain(`pillar: ${join(folder, 'common.sls')}:2: it is a template`);
  });

  it('gives none that is too large for a message, and says so', () => {
    writeFileSync(join(folder, 'top.sls'), "base:\n  '*': [a, b, c, d, e]\n");
    for (const name of 'abcde') writeFileSync(join(folder, `${name}.sls`), `${name}: ${'x'.repeat(1_000_000)}\n`);
    expect(aSource().of('web1', debian)).toMatchObject({ pillar: {}, isLeftOut: true });
    expect(lines.join('')).toContain('that of web1 is larger than');
  });
});
