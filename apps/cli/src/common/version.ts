import { VERSION } from '@natrium/model';
import type { Io } from '../ports.js';

export const CODE_NAME = 'Sodium';

/** As `salt --version` prints it: program, version, code name. */
export function versionLine(program: string): string {
  return `${program} ${VERSION} (${CODE_NAME})`;
}

export function versionsReport(io: Io): string {
  return `Natrium: ${VERSION}\nRuntime: ${io.runtime}\n`;
}
