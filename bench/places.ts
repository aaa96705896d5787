/** Where the bundled bench finds itself and the programs. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILT } from '../tests/support/places.js';

/** This bundle, `dist/bench/main.mjs`. */
export const SELF = fileURLToPath(import.meta.url);

export function command(name: string): string {
  return join(BUILT, 'cli', `${name}.mjs`);
}
