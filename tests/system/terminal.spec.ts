/** `natrium` on a terminal, which `script` of util-linux makes; one that does not know its width, so that nothing relies on it. */
import { spawn } from 'node:child_process';
import { useCluster } from '../support/use-cluster.js';

const LIMIT_MS = 90_000;
const CTRL_C = '\u0003';

describe('on a terminal', () => {
  const cluster = useCluster({ minions: ['a', 'b'], masterConfig: '' });

  /** @param until Ctrl-C is typed as soon as this is on the screen. */
  function typed(
    words: readonly string[],
    until?: RegExp,
    name: 'natrium' | 'natrium-key' = 'natrium',
  ): Promise<{ readonly screen: string; readonly code: number }> {
    const command = [process.execPath, cluster().command(name), '-c', cluster().master, ...words];
    return new Promise((resolve, reject) => {
      const line = command.map((word) => `'${word}'`).join(' ');
      const child = spawn('script', ['-qefc', line, '/dev/null'], { timeout: LIMIT_MS });
      let screen = '';
      let isTyped = false;
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        screen += text;
        if (isTyped || !(until?.test(screen) ?? false)) return;
        isTyped = true;
        child.stdin.write(CTRL_C);
      });
      child.once('error', reject);
      child.once('close', (code) => resolve({ screen, code: code ?? -1 }));
    });
  }

  it('a slow job shows who is missing, and takes the line away before an answer', async () => {
    const { screen, code } = await typed(['*', 'test.sleep', '4']);
    expect(code).toBe(0);
    // A machine that stalls may show no first second.
    expect(screen).toMatch(/0\/2 returned · missing: a \(running [1-4] s\), b \(running [1-4] s\)/);
    expect(screen).toMatch(/\r\u001b\[K\S*[ab]\S*:\r\n/u);
  });

  it('Ctrl-C leaves the job running, and tells its jid', async () => {
    const { screen, code } = await typed(['a', 'test.sleep', '20'], /0\/1 returned/);
    expect(code).toBe(130);
    expect(screen).toMatch(/This job's jid is: \d{20}\r\n/);
  });

  it('Ctrl-C at the question of natrium-key decides nothing, and the exit code tells', async () => {
    const { screen, code } = await typed(['-d', 'a'], /Proceed\?/, 'natrium-key');
    expect(code).toBe(130);
    expect(screen).not.toContain('deleted.');
  });
});
