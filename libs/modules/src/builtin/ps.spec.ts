import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { call } from '../testing/call-context.js';

describe('ps.*', () => {
  it('knows this process', async () => {
    expect((await call('ps.get_pid_list')).ret).toContain(process.pid);
    expect((await call('ps.proc_info', [process.pid])).ret).toMatchObject({
      pid: process.pid,
      ppid: process.ppid,
      exe: process.execPath,
      cwd: process.cwd(),
      uids: { real: process.getuid?.() },
    });
    expect((await call('ps.proc_info', [process.pid, ['pid']])).ret).toEqual({ pid: process.pid });
  });

  it('answers for a process or an attribute that is not there', async () => {
    expect((await call('ps.proc_info', [2 ** 22 + 1])).ret).toContain('ERROR: process PID not found');
    expect((await call('ps.proc_info', [process.pid, ['environ']])).ret).toContain('not known of a process: environ');
  });

  it('finds a process by its name and by its command line', async () => {
    // A time of this very process: the machine may run these tests twice at once.
    const seconds = `61.${String(process.pid)}`;
    const child = spawn('sleep', [seconds], { stdio: 'ignore' });
    await once(child, 'spawn');
    expect((await call('ps.pgrep', [`sleep ${seconds}`, '', true])).ret).toEqual([child.pid]);
    expect((await call('ps.pgrep', ['sleep', 'root'])).ret).toContain(child.pid);
    child.kill();
    await once(child, 'exit');
    expect((await call('ps.pgrep', ['no such process name'])).ret).toBeNull();
  });

  it('knows a name whole that is longer than the kernel keeps it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'natrium-ps-'));
    const long = join(folder, 'a-name-of-more-than-fifteen');
    copyFileSync('/bin/sleep', long);
    const child = spawn(long, ['60'], { stdio: 'ignore' });
    try {
      await once(child, 'spawn');
      expect((await call('ps.pgrep', ['of-more-than-fifteen'])).ret).toEqual([child.pid]);
      expect((await call('ps.proc_info', [child.pid ?? 0, ['name']])).ret).toEqual({ name: basename(long) });
    } finally {
      child.kill();
      rmSync(folder, { recursive: true });
    }
  });

  it('tells memory, processors and the start of the host', async () => {
    for (const fun of ['ps.virtual_memory', 'ps.swap_memory']) {
      expect(Object.keys((await call(fun)).ret ?? {})).toEqual(
        expect.arrayContaining(['total', 'used', 'free', 'percent']),
      );
    }
    expect((await call('ps.num_cpus')).ret).toBeGreaterThan(0);
    expect((await call('ps.boot_time')).ret).toBeGreaterThan(1_500_000_000);
    expect((await call('ps.total_physical_memory')).ret).toBeGreaterThan(1_000_000);
  });
});
