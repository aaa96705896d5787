/**
 * Keeps beside the programs of this folder what V8 compiles of them: `node keep-compiled.cjs`, after the build, and wherever they are run by
 * another Node than the build's. Each program runs once, with the flags that it is started with, and does what `practices.json` says: most of a program is
 * compiled when it is called first, and would be missing from what is compiled before it runs.
 *
 * A command does what most calls of it do, up to the broker, which is not there; natriumctl founds the cluster that the others ask. A service tells its
 * usage, when it has loaded all of itself.
 */
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { compiledFile, compileProgram } = require('./start-program.cjs');

/** Nobody listens there. */
const CONFIG = 'nats: nats://127.0.0.1:1\nbroker_auth: jwt\n';
/** None takes a second. */
const PRACTICE_MS = 60_000;

/** Of a program that runs in this process. */
function keep(name, words) {
  process.argv = [process.execPath, join(__dirname, `${name}.mjs`), ...words];
  const { script, mark, run } = compileProgram(__dirname, name);
  process.on('exit', () => {
    const file = compiledFile(__dirname, name);
    // V8 believes what it reads: a process that is given half of it ends with a signal.
    const opened = fs.openSync(`${file}.new`, 'w');
    fs.writeFileSync(opened, Buffer.concat([script.createCachedData(), mark]));
    fs.fsyncSync(opened);
    fs.closeSync(opened);
    fs.renameSync(`${file}.new`, file);
  });
  run();
}

/** @throws {Error} When it does not even start. That it cannot reach a broker is no failure. */
function practise(name, { flags, words }, cluster) {
  const file = compiledFile(__dirname, name);
  fs.rmSync(file, { force: true });
  const given = words.map((word) => (word === 'CLUSTER' ? cluster : word));
  const { stderr, error } = spawnSync(process.execPath, [...flags, __filename, name, ...given], {
    env: { HOME: cluster },
    timeout: PRACTICE_MS,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (!fs.existsSync(file))
    throw new Error(`${name} ${words.join(' ')} kept nothing: ${error?.message ?? String(stderr)}`);
}

function practiseAll() {
  const cluster = fs.mkdtempSync(join(tmpdir(), 'nt-practice-'));
  try {
    fs.writeFileSync(join(cluster, 'master'), CONFIG);
    const practices = JSON.parse(fs.readFileSync(join(__dirname, 'practices.json'), 'utf8'));
    for (const [name, practice] of Object.entries(practices)) practise(name, practice, cluster);
  } finally {
    fs.rmSync(cluster, { recursive: true, force: true });
  }
}

const [name, ...words] = process.argv.slice(2);
if (name !== undefined) keep(name, words);
else
  try {
    practiseAll();
  } catch (error) {
    process.stderr.write(`keep-compiled: ${error.message}\n`);
    process.exit(1);
  }
