'use strict';
/**
 * What the commands in this folder share: find the built program beside this folder (never by the current folder), build
 * it once when there is none, and load it. CommonJS, because a file without a suffix is that on every Node.
 */
const { existsSync, readdirSync, statSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');

const root = dirname(__dirname);

/** Tells whether a source below `folder` is newer than `time`; written for speed, it runs after every command. */
function hasNewer(folder, time) {
  return readdirSync(folder).some((name) => {
    const path = `${folder}/${name}`;
    if (name.endsWith('.ts')) return !name.endsWith('.spec.ts') && statSync(path).mtimeMs > time;
    return !name.includes('.') && hasNewer(path, time);
  });
}

/** False where there are no sources, as in an image that holds only what was built. */
function isOlderThanSources() {
  const stamp = statSync(join(root, 'dist', '.built'), { throwIfNoEntry: false });
  if (!stamp || !existsSync(join(root, 'libs'))) return false;
  return [join(root, 'libs'), join(root, 'apps', 'cli')].some((folder) => hasNewer(folder, stamp.mtimeMs));
}

function buildOnce(name) {
  process.stderr.write(`${name}: not built yet; building once (npm run build)\n`);
  const { spawnSync } = require('node:child_process');
  const bootstrap = join(root, 'tools', 'bootstrap.mjs');
  const { status } = spawnSync(process.execPath, [bootstrap, 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
  return status === 0;
}

/** Runs the command that a file of this folder stands for. */
exports.start = (file) => {
  const name = basename(file);
  const program = join(root, 'dist', 'cli', `${name}.mjs`);
  if (!existsSync(program) && !(buildOnce(name) && existsSync(program))) {
    process.stderr.write(`${name}: ${program} is missing; run "npm run build" in ${root}\n`);
    process.exit(70);
  }
  // Looking at hundreds of files takes its milliseconds, which nobody's first line waits for.
  process.once('exit', () => {
    if (isOlderThanSources()) process.stderr.write(`${name}: older than its sources; run "npm run build" in ${root}\n`);
  });
  require('node:module').enableCompileCache?.(join(root, '.cache', 'compile'));
  // On Node 20 an absolute path serves as well as a URL, and loading node:url costs a millisecond.
  return import(program);
};
