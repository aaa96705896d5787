/** Rules of files that include others. */
import { MasterFolder } from './master-folder.spec-support.js';

let master: MasterFolder;
let dir: string;
beforeEach(() => {
  master = new MasterFolder();
  dir = master.dir;
});
afterEach(() => {
  master.remove();
});

describe('included files', () => {
  it('say which keys they replace of each other, where one counts over another: also below a main file that only names them', () => {
    const { config, reports } = master.load({
      master: 'default_include: policy\ninclude: [policy.d/*.conf, own.conf]\n',
      policy: 'peer: {web: [a]}\nnodegroups: {g: x}\ninclude: more.conf\n',
      'more.conf': 'peer: {db: [b]}\n',
      'policy.d/1.conf': 'nodegroups: {h: y}\n',
      'own.conf': 'log_level: info\n',
    });
    expect(config).toMatchObject({ peer: { db: ['b'] }, nodegroups: { h: 'y' } });
    expect(reports).toEqual([
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
    const why = 'default_include: this counts in the main file alone, which is DIR/master';
    const said = `DIR/other:2: ${why}. Mend: have include name those files, or take the key out.`;
    expect(master.problems(files)).toEqual(isProblem ? [said] : []);
  });
});
