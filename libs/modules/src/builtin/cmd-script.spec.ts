/** A rule of `cmd.script` and `cmd.exec_code` where their process ends before the script does. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '@natrium/testing';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Runs what it is given as an agent does, several at once, and ends when it is told to on stdin. */
const PROGRAM = `
import { minionRegistry } from './registry.mjs';
import { cmdModule } from './cmd.mjs';
const context = { id: 'web1', jid: '1', grains: () => ({}), config: {}, signal: new AbortController().signal };
for (const text of process.argv.slice(2)) void minionRegistry([cmdModule]).execute('cmd.script', [text], context);
process.stdin.once('data', () => process.exit(0));
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-cmd-script-'));
  writeFileSync(join(folder, 'program.mjs'), PROGRAM);
  const esbuild = here('../../../../node_modules/.bin/esbuild');
  const sources = { registry: here('../minion-registry.ts'), cmd: here('./cmd.ts') };
  for (const [name, source] of Object.entries(sources)) {
    const bundled = ['--bundle', '--platform=node', '--format=esm', `--outfile=${join(folder, `${name}.mjs`)}`];
    const { status, stderr } = spawnSync(esbuild, [source, ...bundled], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('a script whose agent ends before it goes on to its end, and nothing of it stays behind', async () => {
  const mark = (name: string) => join(folder, name);
  const scriptOf = (name: string) =>
    `#!/bin/sh\necho "$0" > ${mark(name)}.new; mv ${mark(name)}.new ${mark(name)}\n` +
    `for n in $(seq 600); do test -e ${mark('go')} && break; sleep 0.1; done\necho ended > ${mark(name)}.end\n`;
  const names = ['a', 'b'];
  const child = spawn(process.execPath, [mark('program.mjs'), ...names.map(scriptOf)], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  await until('both run', () => names.every((name) => existsSync(mark(name))));
  const files = names.map((name) => readFileSync(mark(name), 'utf8').trim());
  for (const file of files) expect(file).toMatch(/^\/tmp\/natrium-script-/);
  expect(files.map((file) => existsSync(file))).toEqual([true, true]);
  child.stdin.write('end');
  expect(await ended).toEqual([0, null]);
  expect(files.map((file) => existsSync(dirname(file)))).toEqual([false, false]);
  writeFileSync(mark('go'), '');
  await until('both have come to their end', () => names.every((name) => existsSync(`${mark(name)}.end`)));
});
