/** Checks that every relative link and every anchor in the project's Markdown leads somewhere: `node tools/links.mjs`. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from './programs.mjs';

const skipped = new Set(['node_modules', 'dist', 'coverage']);

function pagesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) || entry.name.startsWith('.') ? [] : pagesIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
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

function linksIn(text) {
  const prose = withoutCode(text);
  const found = [
    ...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
    ...prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm),
  ];
  return found.map((match) => ({ target: match[1], line: prose.slice(0, match.index).split('\n').length }));
}

/** Says what is wrong with one link, or nothing. */
function problemWith(page, target) {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return undefined;
  const [path, anchor] = target.split('#');
  const file = path ? resolve(dirname(page), decodeURIComponent(path)) : page;
  if (relative(root, file).startsWith('..')) return 'leads out of the project';
  if (!existsSync(file)) return 'is not there';
  if (!anchor || statSync(file).isDirectory() || !file.endsWith('.md')) return undefined;
  return anchorsIn(readFileSync(file, 'utf8')).has(anchor) ? undefined : 'has no such heading';
}

const pages = pagesIn(root);
let count = 0;
const problems = pages.flatMap((page) =>
  linksIn(readFileSync(page, 'utf8')).flatMap(({ target, line }) => {
    count += 1;
    const problem = problemWith(page, target);
    return problem ? [`${relative(root, page)}:${String(line)}: ${target} ${problem}`] : [];
  }),
);
process.stdout.write(
  `${[...problems, `links: ${String(count)} in ${String(pages.length)} pages, ${String(problems.length)} broken`].join('\n')}\n`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
