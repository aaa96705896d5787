import { jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import type { Value } from '@natrium/model';
import { call, named } from '../testing/call-context.js';

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
    expect((await call('ps.pgrep', ['sleep', userInfo().username])).ret).toContain(child.pid);
    const regex = named({ full: true, pattern_is_regex: true });
    expect((await call('ps.pgrep', [`^sle{2}p 61\\.${String(process.pid)}$`, regex])).ret).toEqual([child.pid]);
    expect((await call('ps.pgrep', [`^sle{2}p 61\\.${String(process.pid)}$`, '', true])).ret).toBeNull();
    expect((await call('ps.pgrep', ['(', regex])).ret).toContain('the pattern does not compile');
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

  it('sends one process a signal, and tells whether there was one', async () => {
    const ended = async (...sent: readonly Value[]) => {
      const child = spawn('sleep', ['60'], { stdio: 'ignore' });
      const exit = once(child, 'exit');
      await once(child, 'spawn');
      expect((await call('ps.kill_pid', [child.pid ?? 0, ...sent])).ret).toBe(true);
      await exit;
      expect((await call('ps.kill_pid', [child.pid ?? 0, ...sent])).ret).toBe(false);
      return child.signalCode;
    };
    expect(await ended()).toBe('SIGTERM');
    expect(await ended(9)).toBe('SIGKILL');
    expect(await ended(named({ signal: 'hup' }))).toBe('SIGHUP');
  });

  it('sends nothing to groups, to all, or with a signal that is none', async () => {
    const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
    try {
      for (const pid of [0, -1, -process.pid, '-1'])
        expect((await call('ps.kill_pid', [pid, 9])).ret).toMatch(/is not the id of a process/);
      for (const pid of [2 ** 31, 2 ** 32 - 1, 2 ** 32 + 1])
        expect((await call('ps.kill_pid', [pid, 9])).ret).toBe(false);
      for (const pid of [1.5, 'x', null, true, [process.pid]])
        expect((await call('ps.kill_pid', [pid, 9])).success).toBe(false);
      for (const signal of [0, -9, 9999, 'SIGNOTHING', null])
        expect((await call('ps.kill_pid', [process.pid, signal])).ret).toMatch(/there is no signal/);
      expect(kill).not.toHaveBeenCalled();
    } finally {
      kill.mockRestore();
    }
  });

  it('says when it may not', async () => {
    const kill = jest.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    try {
      expect((await call('ps.kill_pid', [1])).ret).toBe('ERROR: access denied (pid=1)');
    } finally {
      kill.mockRestore();
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
