/** Where tests and the bundled demo find the repository; both this folder and `dist/demo` are two levels below it. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export function inRoot(...parts: readonly string[]): string {
  return join(ROOT, ...parts);
}

/** The programs as `npm run build` leaves them. */
export const BUILT = inRoot('dist');

/** @throws {Error} When there is no `nats-server`; the message says how to get one. */
export function natsServer(): string {
  const given = process.env['NATRIUM_NATS_SERVER'];
  return given ?? execFileSync(process.execPath, [inRoot('tools/nats-server.mjs')], { encoding: 'utf8' }).trim();
}
