/** Rules of files that include others. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadMasterConfig } from './load-master.js';
import { problemSentence } from './problem.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'natrium-config-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

function load(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return loadMasterConfig(dir);
}

describe('included files', () => {
  it('say which keys they replace of each other, where one counts over another: also below a main file that only names them', () => {
    const loaded = load({
      master: 'default_include: policy\ninclude: [policy.d/*.conf, own.conf]\n',
      policy: 'peer: {web: [a]}\nnodegroups: {g: x}\ninclude: more.conf\n',
      'more.conf': 'peer: {db: [b]}\n',
      'policy.d/1.conf': 'nodegroups: {h: y}\n',
      'own.conf': 'log_level: info\n',
    });
    if (!loaded.ok) throw new Error(loaded.error.map(problemSentence).join('\n'));
    expect(loaded.value.config).toMatchObject({ peer: { db: ['b'] }, nodegroups: { h: 'y' } });
    expect(loaded.value.reports).toEqual([
      `peer of ${dir}/policy:1 is replaced as a whole by ${dir}/more.conf:1`,
      `nodegroups of ${dir}/policy:2 is replaced as a whole by ${dir}/policy.d/1.conf:1`,
    ]);
  });

  it.each([
    ['another name', 'deny.d/*.conf', true],
    ['nothing', '', true],
    ['what counts anyway', 'master.d/*.conf', false],
  ])('have no default_include of their own that names %s', (_, names, isProblem) => {
    const files = { master: 'include: other\n', other: `# by default\ndefault_include: ${names}\n` };
    const why = `default_include: this counts in the main file alone, which is ${dir}/master`;
    const said = `${dir}/other:2: ${why}. Mend: have include name those files, or take the key out.`;
    const loaded = load(files);
    expect(loaded.ok ? [] : loaded.error.map(problemSentence)).toEqual(isProblem ? [said] : []);
  });
});
