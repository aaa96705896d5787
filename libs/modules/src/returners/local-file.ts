/** `local_file`: each return as one line of JSON at the end of a file of the minion's configuration. */
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeJson } from '@natrium/model';
import type { Returner } from './returner.js';

const OWNER_ONLY = 0o600;

/** @param path The file is opened anew each time, so that whatever rotates logs may take it away. */
export function localFileReturner(path: string): Returner {
  return {
    name: 'local_file',
    take: async (ret) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await appendFile(path, `${writeJson({ ...ret })}\n`, { mode: OWNER_ONLY });
    },
  };
}
