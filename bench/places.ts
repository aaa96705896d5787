/** Where the bundled bench finds the repository and its programs. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** This bundle, `dist/bench/main.mjs`. */
export const SELF = fileURLToPath(import.meta.url);

const ROOT = join(SELF, '..', '..', '..');

export function inRoot(...parts: readonly string[]): string {
  return join(ROOT, ...parts);
}

export function command(name: string): string {
  return inRoot('dist', 'cli', `${name}.mjs`);
}
