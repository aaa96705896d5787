/** No file imports itself through others, types included: each can be read with those alone that it names. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { root } from './programs.mjs';

const FOLDERS = ['apps', 'libs', 'bench', 'compat', 'tests', 'tools'];

/** Each file with the files that it imports. */
type Imports = ReadonlyMap<string, readonly string[]>;

function sources(folder: string): readonly string[] {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return paths
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
    .map((path) => join(folder, path));
}

function importsOf(path: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, path), 'utf8'));
  const own = importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith('.'));
  return own.map((name) => normalize(join(dirname(path), name)).replace(/\.js$/, '.ts'));
}

/** The first circle of each file that comes back to itself. */
function circles(imports: Imports): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]): void => {
    const at = above.indexOf(path);
    if (at >= 0) found.push([...above.slice(at), path].join(' -> '));
    if (at >= 0 || done.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...above, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return found;
}

it('has no circle', () => {
  const imports = new Map(FOLDERS.flatMap(sources).map((path) => [path, importsOf(path)]));
  expect(imports.get('libs/bus/src/sealing/sealer.ts')).toContain('libs/bus/src/parties/clock.ts');
  expect(circles(imports)).toEqual([]);
});

it('would name one', () => {
  const imports = new Map([
    ['a', ['b', 'c']],
    ['b', ['c']],
    ['c', ['d', 'b']],
  ]);
  expect(circles(imports)).toEqual(['b -> c -> b']);
});
