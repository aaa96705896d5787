/**
 * Checks that every relative link and every anchor in the project's Markdown leads somewhere, and so does what the comments of
 * sources name of it (`spec/acl.md#patterns, #lists`, a row of `compat/divergences.md`): `node tools/links.mjs [FOLDER]`.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root as project } from './programs.mjs';

const root = process.argv[2] ?? project;
const skipped = new Set(['node_modules', 'dist', 'coverage']);

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) || entry.name.startsWith('.') ? [] : filesIn(path);
    return [path];
  });
}

/** The text without what is not prose: fenced blocks, and code in a line. */
const withoutFences = (text) =>
  text.replace(/^( *)(```|~~~)[\s\S]*?^ *\2.*$/gm, (block) => block.replace(/[^\n]/g, ''));
const withoutCode = (text) => withoutFences(text).replace(/`[^`\n]*`/g, (code) => ' '.repeat(code.length));

/** A heading's anchor, as GitHub makes it; a second one of the same text gets `-1`. */
function anchorsIn(text) {
  const seen = new Map();
  const prose = withoutFences(text);
  const headings = [...prose.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map(([, heading]) => {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
    const anchor = words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replace(/ /g, '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${String(count)}`;
  });
  const named = [...prose.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name]) => name);
  return new Set([...headings, ...named]);
}

const known = new Map();
function hasAnchor(file, anchor) {
  if (!known.has(file)) known.set(file, anchorsIn(readFileSync(file, 'utf8')));
  return known.get(file).has(anchor);
}

const lineOf = (text, index) => text.slice(0, index).split('\n').length;

function linksIn(text) {
  const prose = withoutCode(text);
  const found = [
    ...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
    ...prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm),
  ];
  return found.map((match) => ({ target: match[1], line: lineOf(prose, match.index) }));
}

/** Says what is wrong with one link, or nothing. @param from The folder that its path starts at. */
function problemWith(from, page, target) {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return undefined;
  const [path, anchor] = target.split('#');
  const file = path ? resolve(from, decodeURIComponent(path)) : page;
  if (relative(root, file).startsWith('..')) return 'leads out of the project';
  if (!existsSync(file)) return 'is not there';
  if (!anchor || statSync(file).isDirectory() || !file.endsWith('.md')) return undefined;
  return hasAnchor(file, anchor) ? undefined : 'has no such heading';
}

const COMMENT = /(?<!\S)(?:\/\*[\s\S]*?\*\/|\/\/.*(?:\n\s*\/\/.*)*)/g;
/** A page with or without an anchor; a further anchor of the page before it; a row of the page before it. */
const REFERENCE =
  /([\w./-]*\w\.md)(#[\p{L}\p{N}_-]+)?|(?<=,\s*)(#\p{L}[\p{L}\p{N}_-]*)|(?<=\/divergences\.md,\s+)([^\s).;][^).;]*)/gu;

/** What the comments of a source name of the project's pages. */
function referencesIn(text) {
  return [...text.matchAll(COMMENT)].flatMap((comment) => {
    const words = comment[0].replace(/\n[ \t]*(?:\*|\/\/)/g, (start) => start.replace(/[^\n]/g, ' '));
    let page;
    return [...words.matchAll(REFERENCE)].flatMap(({ 1: path, 2: anchor = '', 3: further, 4: row, index }) => {
      page = path ?? page;
      const line = lineOf(text, comment.index + index);
      if (row !== undefined) return [{ target: page, row: row.replace(/\s+/g, ' '), line }];
      return page === undefined ? [] : [{ target: page + (further ?? anchor), line }];
    });
  });
}

/** Whether a table has a row of that topic; one row may have several. */
function hasRow(page, topic) {
  const topics = [...readFileSync(join(root, page), 'utf8').matchAll(/^\| ([^|]+) \|/gm)].map(([, cell]) =>
    cell.replaceAll('`', ''),
  );
  return topics.some((cell) => cell === topic || cell.split(', ').includes(topic));
}

function problemOf(path, { target, row, line }) {
  const isPage = path.endsWith('.md');
  const problem = problemWith(isPage ? dirname(path) : root, path, target);
  if (problem !== undefined) return [`${relative(root, path)}:${line}: ${target} ${problem}`];
  if (row === undefined || hasRow(target, row)) return [];
  return [`${relative(root, path)}:${line}: ${target} has no row '${row}'`];
}

const files = filesIn(root).filter((path) => /\.(?:md|ts|mjs)$/.test(path));
const links = files.flatMap((path) => {
  const text = readFileSync(path, 'utf8');
  return (path.endsWith('.md') ? linksIn(text) : referencesIn(text)).map((link) => ({ path, ...link }));
});
const problems = links.flatMap(({ path, ...link }) => problemOf(path, link));
process.stdout.write(
  `${[...problems, `links: ${links.length} in ${files.length} files, ${problems.length} broken`].join('\n')}\n`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
