/** A gateway that is told to stop answers what it has been asked, and then it is gone, whoever keeps a connection to it. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@natrium/testing';
import type { HttpWorld } from './world.js';

interface Said {
  readonly connection: string | undefined;
  readonly text: string;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** Over the connections that the agent keeps. */
function answerOf(address: string, agent: Agent, token: string, { method, path, body }: Sent): Promise<Said> {
  return new Promise((resolve, reject) => {
    const headers = { Accept: 'application/json', 'Content-Type': 'application/json', 'X-Auth-Token': token };
    const asked = request(address + path, { method, agent, headers }, (answer: IncomingMessage) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => {
        resolve({ connection: answer.headers.connection, text });
      });
      answer.on('error', reject);
    });
    asked.on('error', reject).end(body);
  });
}

export function stopRules(world: HttpWorld): void {
  const agent = new Agent({ keepAlive: true });
  afterAll(() => {
    agent.destroy();
  });

  it('a running job is answered with its value, each answer is the last of its connection, and the process ends', async () => {
    const token = await world.tokenOf('alice');
    const said = (sent: Sent) => answerOf(world.url(), agent, token, sent);
    const begun = join(world.folder, 'begun');
    const listening = said({ method: 'GET', path: '/events' }).catch(() => 'cut off');
    const arg = [`touch ${begun}; sleep 2; echo slept`, 'python_shell=True'];
    const low = { client: 'local', tgt: 'a', fun: 'cmd.run', arg };
    const job = said({ method: 'POST', path: '/', body: JSON.stringify(low) });
    await until('the job runs', () => existsSync(begun));
    const inAdvance = connect(world.port, '127.0.0.1').on('error', () => undefined);
    await once(inAdvance, 'connect');
    const pid = world.gateway(0);
    process.kill(pid, 'SIGTERM');
    expect(await listening).not.toBe('cut off');
    const told = performance.now();
    const kept: (string | undefined)[] = [];
    const isThere = () => world.cluster.processes().some((one) => one.pid === pid);
    while (isThere()) {
      const answer = await said({ method: 'GET', path: '/' }).catch(() => undefined);
      if (answer !== undefined) kept.push(answer.connection);
      await pause(20);
    }
    expect(performance.now() - told).toBeLessThan(10_000);
    expect(await job).toEqual({ connection: 'close', text: '{"return": [{"a": "slept"}]}' });
    expect(kept.filter((connection) => connection === 'keep-alive')).toEqual([]);
  }, 120_000);
}
