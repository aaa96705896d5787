/** Packages of the distribution, for what a test needs and a machine may lack. */
import { execFileSync } from 'node:child_process';

/** No questions, and no service that is started. */
const QUIETLY = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
/** Another one may be installing: so many seconds. */
const WAITS = ['-o', 'DPkg::Lock::Timeout=60'];

/** Reads what there is, then gets the packages. @throws {Error} With what `apt-get` said as its `stderr`. */
export function getPackages(...names: readonly string[]): void {
  aptGet('update', '-q');
  installPackages(...names);
}

/** Without a look at what is new. @param words More options, and names. @throws {Error} */
export function installPackages(...words: readonly string[]): void {
  aptGet(...WAITS, 'install', '-y', '--no-install-recommends', ...words);
}

function aptGet(...words: readonly string[]): void {
  const env = { ...process.env, ...QUIETLY };
  execFileSync('apt-get', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26, env });
}
