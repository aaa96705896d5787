/** Finds a program on a search path, so that one that is missing is named before anything is started. */
import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The file that would run; undefined when there is none that is executable. */
export async function findProgram(name: string, searchPath: string, cwd: string): Promise<string | undefined> {
  const candidates = name.includes('/')
    ? [name.startsWith('/') ? name : join(cwd, name)]
    : searchPath.split(':').map((folder) => join(folder, name));
  for (const candidate of candidates) if (await isProgram(candidate)) return candidate;
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
