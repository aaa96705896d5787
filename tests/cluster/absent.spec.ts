/** Minions that are gone, stopped or late: nobody waits for who is not there, and what comes late is not lost. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@natrium/testing';
import { PEER_ALL, PEER_RUN_ALL } from '../support/examples.js';
import { printFigure } from '../support/figures.js';
import { useCluster } from '../support/use-cluster.js';

const MINIONS = ['a', 'b', 'c'];
/** What is waited where nothing is said. */
const DEFAULT_TIMEOUT_MS = 5000;
/** What is asked for here: long enough for the two that do answer, also on a machine that stalls. */
const WAIT_S = 2;
/** Nobody is waited for. */
const AT_ONCE_MS = 100;

/** `gather_job_timeout`, and so long a minion stands still below it. */
const GATHER_S = 5;
const STALL_MS = 2500;

const masterConfig = `${PEER_ALL}${PEER_RUN_ALL}gather_job_timeout: ${String(GATHER_S)}\n`;
const cluster = useCluster({ minions: MINIONS, masterConfig });

describe('a minion that is stopped', () => {
  let jid = '';

  it('is waited for until the timeout, then said to be still running', async () => {
    cluster().kill('b', 'SIGSTOP');
    const wait = `timeout=${String(WAIT_S)}`;
    const { stdout, stderr, code, ms } = await cluster().call('a', 'publish.publish', '*', 'test.ping', wait);
    expect(stdout).toBe('local:\n    ----------\n    a:\n        True\n    c:\n        True\n');
    const said = /^minion b is still running, jid (\d{20})\n$/.exec(stderr);
    expect(said).not.toBeNull();
    expect(code).toBe(1);
    expect(ms).toBeGreaterThanOrEqual(WAIT_S * 1000);
    jid = said?.[1] ?? '';
    printFigure(`publish with timeout=${String(WAIT_S)} and one of three stopped, with process start`, ms);
  });

  it('is waited for no longer than that', async () => {
    const socket = await cluster().socket('a');
    const times: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { ret, ms } = await socket.call('publish.publish', '*', 'test.ping', { __kwarg__: true, timeout: WAIT_S });
      expect(ret).toEqual({ a: true, c: true });
      times.push(ms);
    }
    socket.close();
    // Of three one at least finds the machine with nothing else to do.
    expect(Math.min(...times)).toBeLessThan(DEFAULT_TIMEOUT_MS);
  });

  it('is not told by jobs.active: nobody says that he runs it', async () => {
    expect(await cluster().run('jobs.active', '--out=json')).toMatchObject({ stdout: '{}\n', code: 0 });
  });

  it('has its late return in the job cache once it goes on', async () => {
    const stored = () => returnsOf(jid).then((returns) => Object.keys(returns).sort());
    await until('the first two are stored', async () => (await stored()).length > 1);
    expect(await stored()).toEqual(['a', 'c']);
    const began = performance.now();
    cluster().kill('b', 'SIGCONT');
    const found = await until('the third return', async () => {
      const returns = await returnsOf(jid);
      return Object.keys(returns).length === MINIONS.length && returns;
    });
    expect(found).toEqual({ a: true, b: true, c: true });
    printFigure('from SIGCONT until jobs.lookup_jid shows the late return', performance.now() - began);
  });
});

describe('a minion that stands still when a command asks whether it is at work', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'nt-absent-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('is waited for, and its return is told', async () => {
    const [began, go] = [join(folder, 'began'), join(folder, 'go')];
    const work = `sh -c 'touch ${began}; while [ ! -e ${go} ]; do sleep 0.05; done; echo came back'`;
    const running = cluster().natrium('b', 'cmd.run', work, '--timeout=1', '--out=json');
    await until('it has begun', () => existsSync(began));
    cluster().kill('b', 'SIGSTOP');
    writeFileSync(go, '');
    await pause(STALL_MS);
    cluster().kill('b', 'SIGCONT');
    const { stdout, code } = await running;
    expect({ returns: JSON.parse(stdout) as unknown, code }).toEqual({ returns: { b: 'came back' }, code: 0 });
  });

  it('is up for manage.status, which waits for it', async () => {
    cluster().kill('b', 'SIGSTOP');
    const asked = cluster().run('manage.status', '--out=json');
    await pause(STALL_MS);
    cluster().kill('b', 'SIGCONT');
    const { stdout, code } = await asked;
    expect({ status: JSON.parse(stdout) as unknown, code }).toEqual({ status: { up: MINIONS, down: [] }, code: 0 });
  });

  it('is down when it says nothing for longer than is said', async () => {
    cluster().kill('b', 'SIGSTOP');
    const { stdout } = await cluster().run('manage.down', 'timeout=1', 'gather_job_timeout=1', '--out=json');
    cluster().kill('b', 'SIGCONT');
    expect(JSON.parse(stdout)).toEqual(['b']);
  });

  it('is given up when it has said nothing for gather_job_timeout', async () => {
    cluster().kill('b', 'SIGSTOP');
    const { stdout, code, ms } = await cluster().natrium('b', 'test.ping', '--timeout=1');
    cluster().kill('b', 'SIGCONT');
    expect(stdout).toContain('Minion did not return. [No response]');
    expect(code).toBe(1);
    expect(ms).toBeGreaterThanOrEqual((1 + GATHER_S) * 1000);
  });
});

describe('a minion that was killed', () => {
  it('is named as not connected, at once, and the others answer', async () => {
    cluster().kill('c', 'SIGKILL');
    const socket = await cluster().socket('a');
    // A job sent before the broker has noticed the end of a connection goes nowhere and is waited for.
    await until('the broker notices', async () => isUp(await socket.call('publish.runner', 'manage.up')));
    const times: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      const { ret, notes, success, ms } = await socket.call('publish.publish', '*', 'test.ping');
      expect({ ret, notes, success }).toEqual({
        ret: { a: true, b: true },
        notes: ['minion c is not connected'],
        success: false,
      });
      times.push(ms);
    }
    socket.close();
    const [first = 0] = times;
    const sorted = times.sort((one, other) => one - other);
    // Of twenty one at least finds the machine with nothing else to do.
    expect(sorted[0]).toBeLessThan(AT_ONCE_MS);
    printFigure('publish with one of three killed, the first', first);
    printFigure('publish with one of three killed, p50 of 20', sorted[10] ?? 0);
    printFigure('publish with one of three killed, the slowest of 20', sorted.at(-1) ?? 0);
  });

  it('is named by the commands, with the exit code of a failure', async () => {
    const called = await cluster().call('a', 'publish.publish', '*', 'test.ping');
    expect(called).toMatchObject({ code: 1, stderr: 'minion c is not connected\n' });
    const { stdout, code } = await cluster().natrium('*', 'test.ping', '--static', '--out=json');
    expect(JSON.parse(stdout)).toEqual({ a: true, b: true, c: 'Minion did not return. [Not connected]' });
    expect(code).toBe(1);
  });

  it('is in no subset, but a target that names it asks for it', async () => {
    for (const count of ['2', '3']) {
      const { stdout, code } = await cluster().natrium('*', 'test.ping', `--subset=${count}`, '--static', '--out=json');
      expect({ returns: JSON.parse(stdout) as unknown, code }).toEqual({ returns: { a: true, b: true }, code: 0 });
    }
    expect(await cluster().natrium('c', 'test.ping', '--subset=1')).toMatchObject({ code: 2 });
    expect(await cluster().natrium('c', 'test.ping')).toMatchObject({ code: 1 });
  });

  it('is down for manage.status', async () => {
    const { stdout, code } = await cluster().run('manage.status', '--out=json');
    expect({ status: JSON.parse(stdout) as unknown, code }).toEqual({
      status: { up: ['a', 'b'], down: ['c'] },
      code: 0,
    });
  });
});

function isUp({ ret }: { readonly ret: unknown }): boolean {
  return JSON.stringify(ret) === JSON.stringify(['a', 'b']);
}

async function returnsOf(jid: string): Promise<object> {
  const { stdout } = await cluster().run('jobs.lookup_jid', jid, '--out=json');
  return JSON.parse(stdout) as object;
}
