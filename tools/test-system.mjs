/**
 * Runs the system tests: whole clusters of separate processes (`tests/system`), then the containers (`tests/compose`). Words choose
 * among the specs, and the containers are left out then. Says so plainly when there are no specs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { inRoot, jest, program, root } from './programs.mjs';

const folder = inRoot('tests', 'system');
const specs = existsSync(folder)
  ? readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.spec.ts'))
  : [];
if (specs.length === 0) {
  process.stdout.write('test:system: there are no system tests yet (tests/system is empty): nothing was run\n');
  process.exit(0);
}
const words = process.argv.slice(2);
const run = (args) => {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};
run([...jest, '--config=jest.system.config.mjs', ...words]);
if (words.length === 0) run(program(inRoot('dist/compose/main.mjs')));
