/** Small system files, read at once: grains are gathered before a minion does anything else. */
import { readdirSync, readFileSync } from 'node:fs';

/** The text of a file, trimmed; empty when it is not there or not readable, which is what a lacking grain is made of. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

/** The names in a folder, sorted; none when it is not there. */
export function readNames(path: string): readonly string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}
