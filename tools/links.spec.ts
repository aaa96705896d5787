import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from './programs.mjs';

const PAGES = {
  'spec/acl.md': '# Access\n\n## Two words\n\n[itself](#two-words), [the table](../compat/divergences.md)\n',
  'compat/divergences.md': '| topic | here |\n|---|---|\n| `one way`, another | no |\n',
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-links-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function checked(source: string, pages: Readonly<Record<string, string>> = {}) {
  for (const [path, text] of Object.entries({ ...PAGES, 'libs/a.ts': source, ...pages })) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { status, stdout } = spawnSync(process.execPath, [inRoot('tools/links.mjs'), folder], { encoding: 'utf8' });
  return { status, told: stdout.trimEnd().split('\n').slice(0, -1) };
}

/** The comment of a source from its second line on. */
const comment = (...lines: readonly string[]) =>
  ['const a = 1;', '/**', ...lines.map((line) => ` * ${line}`), ' */'].join('\n');

it('what comments name of the pages is there: pages, headings, several of one page, rows of the differences', () => {
  const source = comment(
    'Spec: spec/acl.md, spec/acl.md#two-words, spec/acl.md#access',
    '(the first one), #two-words. @see compat/divergences.md',
    'Diverges: somehow (compat/divergences.md, one',
    'way), or another way (compat/divergences.md, another).',
  );
  const inCode = "const text = 'spec/none.md#nothing'; // it reads spec/acl.md";
  expect(checked(`${source}\n${inCode}\n`)).toEqual({ status: 0, told: [] });
});

it.each([
  ['a page', 'Spec: spec/none.md#two-words.', 'spec/none.md#two-words is not there'],
  ['a heading', 'Spec: spec/acl.md#three-words.', 'spec/acl.md#three-words has no such heading'],
  ['a further heading', 'Spec: spec/acl.md#access, #three.', 'spec/acl.md#three has no such heading'],
  ['a row', 'Diverges: (compat/divergences.md, a way).', "compat/divergences.md has no row 'a way'"],
])('%s that a comment names and that is not there is told, with its line', (_, words, told) => {
  expect(checked(comment('What it is.', words))).toEqual({ status: 1, told: [`libs/a.ts:4: ${told}`] });
  expect(checked(`const a = 1; // ${words}`)).toEqual({ status: 1, told: [`libs/a.ts:1: ${told}`] });
});

it('a link of a page that leads nowhere is told, too', () => {
  const pages = { 'spec/b.md': 'one\n[other](acl.md#none)\n' };
  expect(checked('', pages)).toEqual({ status: 1, told: ['spec/b.md:2: acl.md#none has no such heading'] });
});
