/** A build of all programs in which nothing is sealed, in a folder of its own. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from './places.js';
import { runProgram } from './run-program.js';

const BUILD_MS = 120_000;

export interface UnsealedBuild {
  /** To remove when done. */
  readonly folder: string;
  /** What stands for `dist`. */
  readonly build: string;
}

/** @throws {Error} With what esbuild said. */
export async function buildUnsealed(): Promise<UnsealedBuild> {
  const folder = mkdtempSync(join(tmpdir(), 'nt-unsealed-'));
  const program = inRoot('tests/support/unsealed-build.mjs');
  const { code, stderr } = await runProgram(process.execPath, [program, folder], { timeoutMs: BUILD_MS });
  if (code !== 0) throw new Error(`the unsealed build failed\n${stderr}`);
  return { folder, build: join(folder, 'dist') };
}
