/** Rules of what a file of tests loads of a library: what it names, from the file that makes it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inRoot } from './programs.mjs';

type Transform = { pastBarrels: (source: string, path: string) => string };
const { pastBarrels } = (await import(pathToFileURL(inRoot('jest.transform.mjs')).href)) as Transform;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'nt-transform-'))));
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const write = (name: string, ...lines: string[]) => {
  writeFileSync(join(folder, name), lines.join('\n'));
};
const read = (...lines: string[]) => pastBarrels(lines.join('\n'), join(folder, 'some.spec.ts')).split('\n');
const here = (name: string) => join(folder, name);

it('a name that an index only passes on comes from the file that makes it, by the name that it has there', () => {
  write('index.ts', "export { a, b as c } from './a.js';", "export * as all from './b.js';");
  expect(read("import { a, c as d, all } from './index.js';")).toEqual([
    `import { a as a } from '${here('a.ts')}'; import { b as d } from '${here('a.ts')}'; import * as all from '${here('b.ts')}';`,
  ]);
});

it('a name that is passed on by a second index is followed through both', () => {
  mkdirSync(here('sub'));
  write('sub/index.ts', "export { a as b } from './a.js';");
  write('index.ts', "export { b as c } from './sub/index.js';");
  expect(read("import { c } from './index.js';")).toEqual([`import { a as c } from '${here('sub/a.ts')}';`]);
});

it('a library of ours is found by its name', () => {
  expect(read("import { until } from '@natrium/testing';")).toEqual([
    `import { until as until } from '${inRoot('libs/testing/src/until.ts')}';`,
  ]);
});

it('a name that an index makes itself comes from the index, and nothing else of it changes', () => {
  write('index.ts', "import { b } from './b.js';", 'export const a = b;', "export { c } from './c.js';");
  expect(read("import { a, c } from './index.js';")).toEqual([
    `import { a as a } from '${here('index.ts')}'; import { c as c } from '${here('c.ts')}';`,
  ]);
});

it('a type is not imported, and a statement that is only types loads nothing', () => {
  write('index.ts', "export { a, type A } from './a.js';");
  expect(read("import { type A, a } from './index.js';", "import { type A } from './index.js';")).toEqual([
    `import { a as a } from '${here('a.ts')}';`,
    '',
  ]);
});

it('every line stays where it was, after the imports too', () => {
  write('index.ts', "export { a, b } from './a.js';");
  const lines = read('/** A comment. */', 'import {', '  a,', '  b,', "} from './index.js';", '', 'a();', 'b();');
  expect([lines[0], ...lines.slice(5)]).toEqual(['/** A comment. */', '', 'a();', 'b();']);
});

it('what is not an import at the head of a file is left alone: a text that reads like one, and packages of others', () => {
  const lines = [
    "import { it } from 'node:test';",
    "import whole from './index.js';",
    'const text = `',
    "import { a } from './index.js';",
    '`;',
  ];
  expect(read(...lines)).toEqual(lines);
});
