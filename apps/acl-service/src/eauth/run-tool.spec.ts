/** Rules of a back end's programs: whatever one does, whoever waits for it hears in time, and nothing of it is left. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '@natrium/testing';
import { runTool } from './run-tool.js';

const LIMIT_MS = 500;
const sh = (script: string, input = '', ms?: number) => runTool('/bin/sh', ['-c', script], input, ms);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-tool-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A zombie runs no more, whoever may yet have to ask for its status. */
function runs(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

it('tells what a program said, and its exit status', async () => {
  expect(await sh('cat; echo no >&2; exit 3', 'yes')).toEqual({ code: 3, stdout: 'yes', stderr: 'no\n' });
});

it('rejects a program that is not there, and one that was killed', async () => {
  await expect(runTool(join(folder, 'none'), [])).rejects.toThrow('cannot be started');
  await expect(sh('kill -KILL $$')).rejects.toThrow('was killed (SIGKILL)');
});

it.each([
  ['waits for what it has started', 'wait'],
  ['has ended, and left something behind that holds its output', 'exit 0'],
  ['does not heed a signal that asks it to end', "trap '' TERM; wait"],
])('rejects a program in time that %s, and leaves nothing of it running', async (_about, then) => {
  const pids = join(folder, 'pids');
  const began = performance.now();
  await expect(sh(`sleep 60 & echo $! $$ > ${pids}; ${then}`, '', LIMIT_MS)).rejects.toThrow('did not end in 500 ms');
  expect(performance.now() - began).toBeLessThan(20_000);
  const started = readFileSync(pids, 'utf8').trim().split(' ');
  expect(started).toHaveLength(2);
  await until('they have ended', () => !started.some(runs));
});

it('rejects where no descriptor is free, and the process goes on', async () => {
  const script = join(folder, 'script.ts');
  const tool = JSON.stringify(join(process.cwd(), 'apps/acl-service/src/eauth/run-tool.ts'));
  writeFileSync(
    script,
    `import { closeSync, openSync } from 'node:fs';
    import { runTool } from ${tool};
    const open = [];
    try { for (;;) open.push(openSync('/dev/null', 'r')); } catch {}
    const heard = await runTool('/bin/true', []).catch(({ message }) => message);
    for (const one of open) closeSync(one);
    setTimeout(async () => console.log(JSON.stringify([heard, await runTool('/bin/true', [])])), 200);`,
  );
  const built = join(folder, 'script.mjs');
  const esbuild = join(process.cwd(), 'node_modules/.bin/esbuild');
  execFileSync(esbuild, [
    script,
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--log-level=error',
    `--outfile=${built}`,
  ]);
  const limited = ['-c', 'ulimit -n 128; exec "$@"', 'sh', process.execPath, built];
  const { stdout } = await promisify(execFile)('/bin/sh', limited);
  expect(JSON.parse(stdout)).toEqual(['/bin/true cannot be started', { code: 0, stdout: '', stderr: '' }]);
});
