/**
 * The one door of every `npm run …`: makes a fresh clone ready, then runs the wanted program. Needs nothing but Node.
 *
 * In this order, each only when needed: the Node version, `npm ci`, a `nats-server`, the build. Progress goes to stderr,
 * so that a program's output stays its own. The exit code is the program's, and signals are passed on to it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { followParent } from './lifeline.mjs';
import { findNatsServer } from './nats-server.mjs';
import { nodeProblem } from './node-version.mjs';
import { authoritiesAside, inRoot, jest, program, root } from './programs.mjs';

/** What each command runs with Node, what it needs before, and whether it fetches anything then, for which it may need this host's authorities. */
const commands = {
  demo: { needs: ['nats', 'build'], run: program(inRoot('dist/demo/main.mjs')) },
  tour: { needs: ['nats', 'build'], run: program(inRoot('dist/tour/main.mjs')) },
  drills: { needs: ['nats', 'build'], run: program(inRoot('dist/drills/main.mjs')) },
  up: { needs: ['nats', 'build'], run: program(inRoot('dist/cli/natriumctl.mjs'), 'up') },
  bench: { needs: ['nats', 'build'], run: program(inRoot('dist/bench/main.mjs')) },
  conformance: { needs: ['build:tools'], run: program(inRoot('dist/compat/replay.mjs')) },
  test: { needs: ['nats', 'build'], run: jest },
  'test:system': { needs: ['nats', 'build'], run: [inRoot('tools/test-system.mjs')], fetches: true },
  'test:compose': { needs: ['nats', 'build'], run: program(inRoot('dist/compose/main.mjs')), fetches: true },
  check: { needs: ['nats'], run: [inRoot('tools/check.mjs')] },
  lint: { needs: [], run: [inRoot('tools/check.mjs'), 'lint'] },
  format: { needs: [], run: [inRoot('tools/check.mjs'), '--fix', 'format'] },
  build: { needs: ['build'] },
};

const say = (text) => process.stderr.write(`natrium: ${text}\n`);

class Stop extends Error {}

function checkNode() {
  const problem = nodeProblem();
  if (problem !== undefined) throw new Stop(problem);
}

/** jest takes the paths of ES modules for URLs: of what is below such a folder it would find nothing, and wait for ever. */
function checkFolder(name) {
  if (['test', 'test:system', 'check'].includes(name) && /[#?]/.test(root))
    throw new Stop(`jest loads nothing from a folder with # or ? in its path; move this one: ${root}`);
}

/** Tells whether node_modules is what the lock file says, by npm's own record of what it has installed. */
function isInstalled() {
  const record = inRoot('node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(wanted).every(([path, { version, optional, peer, link }]) => {
    if (!path.startsWith('node_modules/')) return true;
    const found = present[path];
    return found ? found.version === version : optional === true || peer === true || (link && existsSync(inRoot(path)));
  });
}

function install() {
  if (isInstalled()) return;
  say('installing packages (npm ci)');
  const npm = process.env.npm_execpath;
  const [file, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  // Whatever NODE_ENV or the user's npm leaves out elsewhere: the build is among them, and its own program is optional.
  const all = ['--include=dev', '--include=optional'];
  const { status } = spawnSync(file, [...first, 'ci', ...all, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Stop(`npm ci failed (${String(status)})`);
}

/** Builds every project, or only the named ones; nx leaves out what has not changed. */
function build(...projects) {
  // Another version of V8 cannot take what this one compiles (nx.json names it).
  const env = { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', NATRIUM_BUILT_WITH: process.version };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      inRoot('node_modules/.bin/nx'),
      'run-many',
      '-t',
      'build',
      '--output-style=static',
      ...projects.flatMap((name) => ['-p', name]),
    ],
    { cwd: root, encoding: 'utf8', env, maxBuffer: 2 ** 28 },
  );
  if (status !== 0) {
    process.stderr.write(stdout + stderr);
    throw new Stop('the build failed');
  }
  if (projects.length > 0) return;
  mkdirSync(inRoot('dist'), { recursive: true });
  writeFileSync(inRoot('dist/.built'), `${new Date().toISOString()}\n`); // the commands compare the sources with its time
}

/** Runs a program in the foreground and ends as it ends: with its exit code, or by its signal. */
function runAndEnd(args, env) {
  const child = spawn(process.execPath, args, { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // A terminal's Ctrl-C reaches the child by itself; a second one from here would read as "hurry".
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal)));
  }
  child.on('error', (error) => {
    say(error.message);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

async function main([name, ...args]) {
  const command = commands[name];
  if (!command) throw new Stop(`no command "${name ?? ''}"; there are ${Object.keys(commands).join(', ')}`);
  if (process.env.npm_lifecycle_event) followParent();
  checkNode();
  checkFolder(name);
  install();
  if (command.needs.includes('nats')) process.env.NATRIUM_NATS_SERVER = await natsServer();
  if (command.needs.includes('build')) build();
  if (command.needs.includes('build:tools')) build('tools');
  if (!command.run) return;
  const file = command.run.find((part) => part.startsWith(inRoot('dist')));
  if (file && !existsSync(file)) throw new Stop(`${file} was not built: its source is not there yet`);
  runAndEnd([...command.run, ...args], command.fetches ? process.env : authoritiesAside(process.env));
}

async function natsServer() {
  try {
    return await findNatsServer();
  } catch (error) {
    throw new Stop(error.message); // what mends it
  }
}

main(process.argv.slice(2)).catch((error) => {
  say(error instanceof Stop ? error.message : (error.stack ?? String(error)));
  process.exit(1);
});
