/** Where things are, and how the test runner is started: the one place for what several tools need. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const inRoot = (...parts) => join(root, ...parts);

/** Whether a module is the program that Node was started with; Node names it as it is, and the word on the command line as it was written, through a link. */
export function isStarted(url) {
  const program = process.argv[1] ?? '';
  return existsSync(program) && realpathSync(program) === fileURLToPath(url);
}

const WEB_STORAGE = '--experimental-webstorage';

/** Node's arguments that run jest: its ES module support is still behind a flag, and it stumbles over a browser's storage that has no file. */
export const jest = [
  '--experimental-vm-modules',
  ...(process.allowedNodeEnvironmentFlags.has(WEB_STORAGE) ? [WEB_STORAGE.replace('--', '--no-')] : []),
  '--disable-warning=ExperimentalWarning',
  inRoot('node_modules/jest/bin/jest.js'),
];

/** Node's arguments for a program of ours that ends with whoever started it, even after a SIGKILL. A URL: in a path Node would read `#` and `%` as one's. */
export const program = (...args) => ['--import', pathToFileURL(inRoot('tools/lifeline.mjs')).href, ...args];

/** The environment for programs of ours, and for tests: Node 20 reads what `NODE_EXTRA_CA_CERTS` names at each start, ours when they need it (`start-program.cjs`). */
export function authoritiesAside({ NODE_EXTRA_CA_CERTS: file, ...env }) {
  return file === undefined ? env : { ...env, NATRIUM_EXTRA_CA_CERTS: file };
}
