/**
 * Every check of the project: `npm run check [-- --fix] [-- step…]`. CI runs the same command.
 *
 * Each step prints its name and time; a failing one its whole output, and the others still run; of a failing test step the
 * failures come first, so that a log that is cut keeps them. `--fix` writes what the formatter and the linter can mend.
 */
import { spawnSync } from 'node:child_process';
import { inRoot, jest, root } from './programs.mjs';

const modules = (path) => inRoot('node_modules', path);

const args = process.argv.slice(2);
const isFixing = args.includes('--fix');
const isColoured = process.stdout.isTTY === true;
const wanted = args.filter((arg) => !arg.startsWith('-'));

/** What each step runs with Node; `shows` is how many of its last lines are worth seeing when all is well. */
const steps = [
  {
    name: 'format',
    run: [modules('prettier/bin/prettier.cjs'), isFixing ? '--write' : '--check', '--log-level=warn', '.'],
  },
  { name: 'lint', run: [modules('eslint/bin/eslint.js'), '--max-warnings=0', ...(isFixing ? ['--fix'] : []), '.'] },
  { name: 'types', run: [modules('@typescript/native/bin/tsc'), '-p', '.', '--pretty', String(isColoured)] },
  { name: 'links', run: ['tools/links.mjs'], shows: 1 },
  { name: 'dependencies', run: ['tools/dependencies.mjs'], shows: 1 },
  { name: 'lock', run: ['tools/lock.mjs', '--check'] },
  { name: 'build', run: [inRoot('tools/bootstrap.mjs'), 'build'] },
  { name: 'test', run: jest, shows: 6 },
  { name: 'conformance', run: ['dist/compat/replay.mjs'], shows: 12 },
];

const unknown = wanted.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  process.stderr.write(`check: no step ${unknown.join(', ')}; there are ${steps.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}

const lastLines = (text, count) => text.trimEnd().split('\n').slice(-count).join('\n');

/** From each `●` that heads a failing test to the end of its message, before the code frame. */
function failures(report) {
  const found = report.match(/^ {2}● .+\n(?:(?!\s+\d* \||\s+at ).*\n){0,12}/gm) ?? [];
  return [...new Set(found)].join('');
}

function passes({ name, run, shows = 0 }) {
  const start = performance.now();
  const { status, signal, stdout, stderr, error } = spawnSync(process.execPath, run, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 28,
    env: { ...process.env, ...(isColoured ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }) },
  });
  const output = name === 'test' ? failures(stderr) + stderr + stdout : stdout + stderr;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${status === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(12)} ${seconds.padStart(6)} s\n`);
  if (status !== 0) process.stdout.write(`${output}${error?.message ?? signal ?? ''}\n`);
  else if (shows > 0 && output.trim()) process.stdout.write(`${lastLines(output, shows)}\n`);
  return status === 0;
}

/** The tests and the cases run what was built. */
const needsBuild = wanted.includes('test') || wanted.includes('conformance');
const isWanted = ({ name }) => wanted.length === 0 || wanted.includes(name) || (needsBuild && name === 'build');

const failed = steps
  .filter(isWanted)
  .filter((step) => !passes(step))
  .map(({ name }) => name);
if (failed.length > 0) process.stdout.write(`check: failed: ${failed.join(', ')}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
