/** Makes the programs of a folder startable: what starts them (`start-program.cjs`), and what V8 has compiled of them (`keep-compiled.cjs`). */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { nodeCheck } from './node-version.mjs';
import { inRoot } from './programs.mjs';

const STARTER = 'start-program.cjs';
const KEEPER = 'keep-compiled.cjs';
const { HASH_LENGTH } = createRequire(import.meta.url)(`./${STARTER}`);

const start = (name) => `import { createRequire } from 'node:module';
await createRequire(import.meta.url)('./${STARTER}').startProgram('${name}').ended;
`;

const COMMANDS = {
  natriumctl: ['init', '-c', 'CLUSTER'],
  natrium: ['-c', 'CLUSTER', '*', 'test.ping'],
  'natrium-call': ['-c', 'CLUSTER', 'publish.publish', '*', 'test.ping'],
  'natrium-run': ['-c', 'CLUSTER', 'manage.up'],
  'natrium-key': ['-c', 'CLUSTER', '--list-all'],
};
const SERVICE = { main: ['--help'] };

/** V8 takes what it has compiled with the same flags only. They stand in a source of the commands, which start the programs. */
async function flagsOf(project) {
  const { outputFiles } = await build({
    entryPoints: [inRoot('apps/cli/src/up/process-flags.ts')],
    format: 'esm',
    write: false,
  });
  const flags = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  const how = {
    'acl-service': flags.SMALL_SERVICE,
    'master-gateway': flags.ROOMY_GATEWAY,
    'minion-agent': flags.LEAN_AGENT,
    'runner-service': flags.SMALL_SERVICE,
  };
  return how[project]?.flags ?? [];
}

function markWithHash(file) {
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, HASH_LENGTH);
  appendFileSync(file, `//${hash}`);
}

const copied = (name) => `'use strict';\n${nodeCheck}\n${readFileSync(inRoot('tools', name), 'utf8')}`;

/**
 * @param names Those of programs whose `.cjs` is there.
 * @throws {Error} When one of them does not start.
 */
export async function makeStartable(folder, names) {
  if (names.length === 0) return;
  for (const name of names) {
    markWithHash(join(folder, `${name}.cjs`));
    writeFileSync(join(folder, `${name}.mjs`), start(name));
  }
  const project = basename(folder);
  const flags = await flagsOf(project);
  const words = Object.entries(project === 'cli' ? COMMANDS : SERVICE);
  const practices = Object.fromEntries(words.map(([name, given]) => [name, { flags, words: given }]));
  writeFileSync(join(folder, 'practices.json'), `${JSON.stringify(practices, undefined, 2)}\n`);
  for (const name of [STARTER, KEEPER]) writeFileSync(join(folder, name), copied(name));
  execFileSync(process.execPath, [join(folder, KEEPER)], { stdio: 'inherit' });
}
