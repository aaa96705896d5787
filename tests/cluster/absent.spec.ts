/** Minions that are gone, stopped or late: nobody waits for who is not there, and what comes late is not lost. */
import type { AgentSocket } from '../support/agent-socket.js';
import { PEER_ALL, PEER_RUN_ALL } from '../support/examples.js';
import { printFigure } from '../support/figures.js';
import { useCluster } from '../support/use-cluster.js';

const MINIONS = ['a', 'b', 'c'];

const cluster = useCluster({ minions: MINIONS, masterConfig: PEER_ALL + PEER_RUN_ALL });

describe('a minion that is stopped', () => {
  let jid = '';

  it('is waited for until the timeout, then said to be still running', async () => {
    cluster().kill('b', 'SIGSTOP');
    const { stdout, stderr, code, ms } = await cluster().call('a', 'publish.publish', '*', 'test.ping', 'timeout=1');
    expect(stdout).toBe('local:\n    ----------\n    a:\n        True\n    c:\n        True\n');
    const said = /^minion b is still running, jid (\d{20})\n$/.exec(stderr);
    expect(said).not.toBeNull();
    expect(code).toBe(1);
    expect(ms).toBeGreaterThanOrEqual(1000);
    expect(ms).toBeLessThan(4000);
    jid = said?.[1] ?? '';
    printFigure('publish with timeout=1 and one of three stopped, with process start', ms);
  });

  it('has its late return in the job cache once it goes on', async () => {
    const before = await cluster().run('jobs.lookup_jid', jid, '--out=json');
    expect(Object.keys(JSON.parse(before.stdout) as object).sort()).toEqual(['a', 'c']);
    const began = performance.now();
    cluster().kill('b', 'SIGCONT');
    const found = await lookUpUntilThree(jid);
    expect(found).toEqual({ a: true, b: true, c: true });
    printFigure('from SIGCONT until jobs.lookup_jid shows the late return', performance.now() - began);
  });
});

describe('a minion that was killed', () => {
  it('is named as not connected, at once, and the others answer', async () => {
    cluster().kill('c', 'SIGKILL');
    const socket = await cluster().socket('a');
    await untilUp(socket, ['a', 'b']);
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
    expect(sorted.at(-1)).toBeLessThan(1000);
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

  it('is down for manage.status', async () => {
    const { stdout, code } = await cluster().run('manage.status', '--out=json');
    expect({ status: JSON.parse(stdout) as unknown, code }).toEqual({
      status: { up: ['a', 'b'], down: ['c'] },
      code: 0,
    });
  });
});

/** A job sent before the broker has noticed the end of a connection goes nowhere and is waited for: this waits for the broker. */
async function untilUp(socket: AgentSocket, wanted: readonly string[]): Promise<void> {
  for (;;) {
    const { ret } = await socket.call('publish.runner', 'manage.up');
    if (JSON.stringify(ret) === JSON.stringify(wanted)) return;
  }
}

/** Asks again until the third return is there: each question waits for the job cache, none for a clock. */
async function lookUpUntilThree(jid: string): Promise<unknown> {
  for (;;) {
    const { stdout } = await cluster().run('jobs.lookup_jid', jid, '--out=json');
    const found = JSON.parse(stdout) as object;
    if (Object.keys(found).length === MINIONS.length) return found;
  }
}
