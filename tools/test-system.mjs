/** Runs the system tests (`tests/system`): whole clusters of separate processes. Says so plainly when there are none. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { inRoot, jest, root } from './programs.mjs';

const folder = inRoot('tests', 'system');
const specs = existsSync(folder)
  ? readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.spec.ts'))
  : [];
if (specs.length === 0) {
  process.stdout.write('test:system: there are no system tests yet (tests/system is empty): nothing was run\n');
  process.exit(0);
}
const { status } = spawnSync(process.execPath, [...jest, '--config=jest.system.config.mjs', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(status ?? 1);
