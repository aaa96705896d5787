/**
 * Checks the dependencies: each one in a package.json has its row in docs/dependencies.md with the very version, no row is
 * left over, and each version is pinned: `node tools/dependencies.mjs`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './programs.mjs';

const page = 'docs/dependencies.md';

const folders = [
  '.',
  'bin',
  ...['libs', 'apps'].flatMap((group) => readdirSync(join(root, group)).map((name) => join(group, name))),
];
const manifests = folders.map((folder) => join(root, folder, 'package.json')).filter((file) => existsSync(file));
const used = new Map(
  manifests
    .map((file) => JSON.parse(readFileSync(file, 'utf8')))
    .flatMap(({ dependencies = {}, optionalDependencies = {}, devDependencies = {} }) => [
      ...Object.entries(dependencies),
      ...Object.entries(optionalDependencies),
      ...Object.entries(devDependencies),
    ])
    .filter(([name]) => !name.startsWith('@natrium/')),
);

/** Rows like `| [name](…) | version | …`, the name perhaps in backquotes. */
const rows = readFileSync(join(root, page), 'utf8').matchAll(/^\|\s*`([@\w./-]+)`\s*\|\s*([^|]+?)\s*\|/gm);
const listed = new Map([...rows].map(([, name, version]) => [name, version]));

const isPinned = (version) => /^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+[\w.-]*$/.test(version);
const problems = [
  ...[...used].filter(([name]) => !listed.has(name)).map(([name]) => `${name} has no row in ${page}`),
  ...[...used]
    .filter(([name, version]) => listed.has(name) && !version.endsWith(listed.get(name)))
    .map(([name, version]) => `${name} is ${version} in package.json, ${listed.get(name)} in ${page}`),
  ...[...listed.keys()]
    .filter((name) => !used.has(name))
    .map((name) => `${name} has a row in ${page}, but nothing uses it`),
  ...[...used]
    .filter(([, version]) => !isPinned(version))
    .map(([name, version]) => `${name}: "${version}" is not one version`),
];
process.stdout.write(
  `${[...problems, `dependencies: ${String(used.size)}, ${String(problems.length)} problems`].join('\n')}\n`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
