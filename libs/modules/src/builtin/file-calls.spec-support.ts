/** `file.*` called in a folder that is new for each test of whoever imports this. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Value } from '@natrium/model';
import { call } from '../testing/call-context.js';

export let folder: string;
/** Of a file in it, which is not there yet. */
export let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'natrium-file-'));
  path = join(folder, 'a.conf');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

export const run = (fun: string, ...sent: Value[]) =>
  call(`file.${fun}`, sent, { config: { id: 'web1', cachedir: join(folder, 'cache') } });
export const ret = async (fun: string, ...sent: Value[]) => (await run(fun, ...sent)).ret;
