/** What keeps an agent from starting is named: a file that is opened and cannot be read, which the system names nowhere. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineFile } from './line-file.js';
import { RunRecord } from './run-record.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-reading-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const options = () => ({ folder, bootId: 'boot', now: () => 0, onProblem: () => undefined });

it.each([
  ['a spool', 'returns', () => new LineFile(join(folder, 'returns')).read()],
  ['the record of runs', 'run-once', () => new RunRecord(options())],
])('%s that cannot be read is named, with the system’s word for it', (_, name, open) => {
  const path = join(folder, name);
  mkdirSync(path);
  expect(open).toThrow(`${path} cannot be read: EISDIR: illegal operation on a directory, read`);
  expect(open).toThrow(expect.objectContaining({ code: 'EISDIR' }) as Error);
  rmSync(path, { recursive: true });
  expect(open).not.toThrow();
});
