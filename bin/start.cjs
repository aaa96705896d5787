'use strict';
/**
 * What the commands in this folder share: find the built program beside this folder (never by the current folder), build
 * it once when there is none, and load it. CommonJS, because a file without a suffix is that on every Node.
 *
 * Each of them is a shell's script up to its second line, which for Node is a word and a comment. Only a shell can tell whether
 * SIGHUP is ignored, as under `nohup`: a trap for it does nothing then. Node has reset it before its first line. And only a shell can keep
 * from Node 20 what it would read at once: `NODE_EXTRA_CA_CERTS`, which `start-program.cjs` puts back.
 */
const { existsSync, readdirSync, statSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');

const root = dirname(__dirname);

/** Tells whether a source below `folder` is newer than `time`; written for speed, it runs after every command. */
function hasNewer(folder, time) {
  return readdirSync(folder).some((name) => {
    const path = `${folder}/${name}`;
    // What an editor keeps beside a file may be a link to nothing.
    if (name.endsWith('.ts'))
      return !name.endsWith('.spec.ts') && statSync(path, { throwIfNoEntry: false })?.mtimeMs > time;
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
  const { NATRIUM_EXTRA_CA_CERTS: aside, ...rest } = process.env;
  const env = { ...rest, ...(aside === undefined ? {} : { NODE_EXTRA_CA_CERTS: aside }) };
  const { status } = spawnSync(process.execPath, [bootstrap, 'build'], { cwd: root, stdio: ['ignore', 2, 2], env });
  return status === 0;
}

/** Under `nohup` a command goes on when its terminal is closed, as any program does. */
function ignoreHangUp() {
  const isIgnored = process.env.NATRIUM_SIGHUP === 'ignored';
  // It is true of this process, not of those that it starts.
  delete process.env.NATRIUM_SIGHUP;
  if (isIgnored) process.on('SIGHUP', () => undefined);
}

async function run(name) {
  await require(join(root, 'dist', 'cli', 'start-program.cjs')).startProgram(name).ended;
}

/** Runs the command that a file of this folder stands for. */
exports.start = (file) => {
  ignoreHangUp();
  const name = basename(file);
  const program = join(root, 'dist', 'cli', `${name}.cjs`);
  if (!existsSync(program) && !(buildOnce(name) && existsSync(program))) {
    process.stderr.write(`${name}: ${program} is missing; run "npm run build" in ${root}\n`);
    process.exit(70);
  }
  // Looking at hundreds of files takes its milliseconds, which nobody's first line waits for.
  const compare = () => {
    if (isOlderThanSources()) process.stderr.write(`${name}: older than its sources; run "npm run build" in ${root}\n`);
  };
  process.once('exit', compare);
  return run(name).catch((error) => {
    if (error.code !== 'EMFILE' && error.code !== 'ENFILE') throw error;
    process.stderr.write(`${name}: no more files may be open here (ulimit -n): ${error.message}\n`);
    process.off('exit', compare).exit(1);
  });
};
