/**
 * Runs the system tests: whole clusters of separate processes (`tests/system`), then the containers (`tests/compose`). Words choose
 * among the specs, and the containers are left out then.
 */
import { spawnSync } from 'node:child_process';
import { inRoot, jest, program, root } from './programs.mjs';

const words = process.argv.slice(2);
const run = (args) => {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};
run([...jest, '--config=jest.system.config.mjs', ...words]);
if (words.length === 0) run(program(inRoot('dist/compose/main.mjs')));
