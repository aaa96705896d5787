/** Makes the programs of a folder startable: what starts them, and what V8 has compiled of them (`start-program.cjs`). */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { nodeCheck } from './node-version.mjs';
import { inRoot } from './programs.mjs';

const STARTER = 'start-program.cjs';
const { compiledFile, HASH_LENGTH } = createRequire(import.meta.url)(`./${STARTER}`);

const start = (name) => `import { createRequire } from 'node:module';
await createRequire(import.meta.url)('./${STARTER}').startProgram('${name}').ended;
`;

/** Nobody listens there. */
const NO_BROKER = 'nats://127.0.0.1:1';

/**
 * What the programs of a folder do while V8's work is kept: whatever most calls of a command do, up to the broker, which no build has. The first one
 * founds the cluster that the others ask. A service tells its usage, when it has loaded all of itself.
 *
 * @param cluster A folder that is there.
 */
const practices = (folder, cluster) =>
  basename(folder) === 'cli'
    ? {
        natriumctl: ['init', '-c', cluster],
        natrium: ['-c', cluster, '*', 'test.ping'],
        'natrium-call': ['-c', cluster, 'publish.publish', '*', 'test.ping'],
        'natrium-run': ['-c', cluster, 'manage.up'],
        'natrium-key': ['-c', cluster, '--list-all'],
      }
    : { main: ['--help'] };

/** V8 takes what it has compiled with the same flags only. They stand in a source of the commands, which start the programs. */
async function flagsOf(folder) {
  const { outputFiles } = await build({
    entryPoints: [inRoot('apps/cli/src/up/process-flags.ts')],
    format: 'esm',
    write: false,
  });
  const flags = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  const how = { cli: { flags: [] }, 'minion-agent': flags.LEAN_AGENT, 'master-gateway': flags.ROOMY_GATEWAY };
  return (how[basename(folder)] ?? flags.SMALL_SERVICE).flags;
}

function markWithHash(file) {
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, HASH_LENGTH);
  appendFileSync(file, `//${hash}`);
}

/** @throws {Error} When it does not even start. That it cannot reach a broker is no failure. */
async function keepCompiled(folder, name, { flags, words, home }) {
  const child = spawn(process.execPath, [...flags, inRoot('tools/keep-compiled.cjs'), folder, name, ...words], {
    env: { HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = child.stderr.toArray();
  await once(child, 'close');
  if (!existsSync(compiledFile(folder, name)))
    throw new Error(`${name} ${words.join(' ')} kept nothing: ${Buffer.concat(await said)}`);
}

/** @param names Those of programs whose `.cjs` is there. */
export async function makeStartable(folder, names) {
  if (names.length === 0) return;
  writeFileSync(
    join(folder, STARTER),
    `'use strict';\n${nodeCheck}\n${readFileSync(inRoot('tools', STARTER), 'utf8')}`,
  );
  for (const name of names) {
    markWithHash(join(folder, `${name}.cjs`));
    writeFileSync(join(folder, `${name}.mjs`), start(name));
  }
  const cluster = mkdtempSync(join(tmpdir(), 'nt-practice-'));
  try {
    writeFileSync(join(cluster, 'master'), `nats: ${NO_BROKER}\nbroker_auth: jwt\n`);
    const flags = await flagsOf(folder);
    for (const [name, words] of Object.entries(practices(folder, cluster)))
      await keepCompiled(folder, name, { flags, words, home: cluster });
  } finally {
    rmSync(cluster, { recursive: true, force: true });
  }
}
