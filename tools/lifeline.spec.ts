/** A program that the bootstrap starts does not outlive it, not even a bootstrap that was killed. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inRoot, program } from './programs.mjs';

it('ends with a parent that gets SIGKILL', async () => {
  const args = program('-e', 'console.log(process.pid); setInterval(() => {}, 1e6)');
  const start = `require('child_process').spawn(${JSON.stringify(process.execPath)}, ${JSON.stringify(args)}, { stdio: 'inherit' })`;
  const parent = spawn(process.execPath, ['-e', start], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
  parent.kill('SIGKILL');
  try {
    // The child holds the other end.
    await once(parent.stdout, 'close', { signal: AbortSignal.timeout(4_000) });
  } catch (error) {
    process.kill(Number(pid), 'SIGKILL'); // else jest would wait for it for ever
    throw error;
  }
});

describe('below a folder whose path would be cut off in a URL', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'nt-#%20-'));
    for (const name of ['tools', 'package.json']) cpSync(inRoot(name), join(folder, name), { recursive: true });
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('it is loaded before a program', () => {
    const programs = pathToFileURL(join(folder, 'tools', 'programs.mjs')).href;
    const child = `require('child_process').spawnSync(process.execPath, program('-e', 'process.exit(7)'))`;
    const start = `import(${JSON.stringify(programs)}).then(({ program }) => process.exit(${child}.status))`;
    expect(spawnSync(process.execPath, ['-e', start]).status).toBe(7);
  });

  it.each(['test', 'test:system', 'check'])('npm run %s installs nothing, and says that jest cannot', (command) => {
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'tools', 'bootstrap.mjs'), command]);
    expect([status, String(stderr)]).toEqual([1, expect.stringContaining(`move this one: ${folder}`)]);
  });
});
