/** Rules of what the agent's socket may do to `natrium-call`. */
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fingerprint, sodiumReady } from '@natrium/envelope';
import { readOrMakeIdentity } from '@natrium/keystore';
import { until } from '@natrium/testing';
import type { CallOptions } from '../ports.js';
import { connectAgent } from './connect-agent.js';

let folder: string;
let agent: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-agent-'));
  writeFileSync(join(folder, 'minion'), `id: web1\nroot_dir: ${folder}\nsock_dir: ${folder}\n`);
});
afterEach(() => {
  agent?.close();
  agent = undefined;
  rmSync(folder, { recursive: true });
});

/** What a call gives whose agent says this and dies. */
async function outcomeOf(said: string) {
  const server = createServer((socket) => socket.once('data', () => socket.end(said)));
  agent = server;
  await once(server.listen(join(folder, 'minion.sock')), 'listening');
  const link = await connectAgent({ configDir: folder, local: false });
  if (!link.ok) throw new Error(link.error.sentence);
  return link.value.call('publish.publish', ['*', 'test.ping'], {});
}

it('an answer is an answer, also when the connection ends with it', async () => {
  expect(await outcomeOf('{"ret": {"a": true}, "retcode": 0, "success": true}\n')).toMatchObject({ ret: { a: true } });
});

it('a line separator of Unicode does not end it', async () => {
  const said = '{"ret": "a\u2028b", "retcode": 0, "success": true}\n';
  expect(await outcomeOf(said)).toMatchObject({ ret: 'a\u2028b', success: true });
});

it('a line that is none of the agent is no answer that can be read', async () => {
  expect((await outcomeOf('{"ret": tr\n')).refusal?.sentence).toBe('the agent gave no answer that can be read');
});

it.each(['', '{"ret": {"a": tr', '{"ret": {"a": "x"}'])(
  'an agent that dies in the middle of its answer has given none: %j',
  async (said) => {
    expect((await outcomeOf(said)).refusal).toEqual({
      code: 'master_unreachable',
      sentence: 'the agent closed the connection without an answer',
    });
  },
);

it('natrium-call tells of the runners that this version brings, each with its text', async () => {
  const link = await connectAgent({ configDir: folder, local: true });
  if (!link.ok) throw new Error(link.error.sentence);
  const { ret } = await link.value.call('sys.list_runner_functions', [], {});
  expect(ret).toEqual(expect.arrayContaining(['jobs.active', 'manage.up']));
  const docs = await link.value.call('sys.runner_doc', [], {});
  expect(Object.keys(docs.ret ?? {})).toEqual(ret);
});

describe('key.finger --local', () => {
  const finger = async () => {
    const link = await connectAgent({ configDir: folder, local: true });
    if (!link.ok) throw new Error(link.error.sentence);
    return link.value.call('key.finger', [], {});
  };

  it('is the fingerprint of this host’s key, also while no master has accepted it', async () => {
    await sodiumReady();
    const { identity } = readOrMakeIdentity(join(folder, 'pki', 'minion.key'));
    expect(await finger()).toMatchObject({ success: true, ret: fingerprint(identity.publicKey) });
  });

  it('says that there is none before the agent’s first start', async () => {
    expect(await finger()).toMatchObject({ success: false, ret: expect.stringContaining('has no key yet') as string });
    expect(existsSync(join(folder, 'pki'))).toBe(false);
  });
});

describe('--id', () => {
  const callAs = async (id: string, fun: string, local = false) => {
    const asked: string[] = [];
    const server = createServer((socket) => {
      socket.once('data', (data: Buffer) => {
        asked.push(String(data));
        socket.end('{"ret": 1, "retcode": 0, "success": true}\n');
      });
    });
    agent = server;
    await once(server.listen(join(folder, 'minion.sock')), 'listening');
    const link = await connectAgent({ configDir: folder, local, id });
    if (!link.ok) throw new Error(link.error.sentence);
    return { outcome: await link.value.call(fun, ['id'], {}), asked };
  };

  it('cannot make the agent another: what goes through it is refused, and nothing is asked', async () => {
    const { outcome, asked } = await callAs('web2', 'pillar.get');
    expect(outcome.refusal).toMatchObject({ code: 'bad_request', sentence: expect.stringContaining('web1') as string });
    expect(asked).toEqual([]);
    agent?.close();
    expect((await callAs('web1', 'pillar.get')).asked).toHaveLength(1);
  });

  it('names the minion of what runs here', async () => {
    expect((await callAs('web2', 'grains.get')).outcome).toMatchObject({ success: true, ret: 'web2' });
  });
});

it('sys.list_returners tells of the returners of this host', async () => {
  const link = await connectAgent({ configDir: folder, local: true });
  if (!link.ok) throw new Error(link.error.sentence);
  expect((await link.value.call('sys.list_returners', [], {})).ret).toContain('local_file');
});

describe('a call that is left before its answer', () => {
  const begin = async (fun: string, args: readonly string[], options: CallOptions = {}) => {
    const link = await connectAgent({ configDir: folder, local: true });
    if (!link.ok) throw new Error(link.error.sentence);
    return { outcome: link.value.call(fun, args, options), close: () => link.value.close() };
  };
  const saidIn = (file: string) =>
    until(`${file} is there`, () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined));

  it('is ended, with the programs that it has started', async () => {
    const file = join(folder, 'pid');
    const text = `echo $$ > ${file}.new; mv ${file}.new ${file}; sleep 60; true`;
    const { outcome, close } = await begin('cmd.shell', [text]);
    const group = Number(await saidIn(file));
    await close();
    expect(await outcome).toMatchObject({ ret: "'cmd.shell' was ended: its caller has left", retcode: 1 });
    await until('none is alive', () => !isAlive(group));
  });

  it.each([
    ['cmd.script', (text: string) => [`#!/bin/sh\n${text}`]],
    ['cmd.exec_code', (text: string) => ['sh', text]],
  ])('leaves no file of the code behind: %s', async (fun, args) => {
    const file = join(folder, 'path');
    const { outcome, close } = await begin(
      fun,
      args(`echo "$0" > ${file}.new; mv ${file}.new ${file}; sleep 60; true`),
    );
    const script = (await saidIn(file)).trim();
    expect(existsSync(script)).toBe(true);
    await close();
    expect(existsSync(dirname(script))).toBe(false);
    expect(await outcome).toMatchObject({ success: false });
  });

  it('hands nothing to a returner', async () => {
    const file = join(folder, 'began');
    const returns = join(folder, 'returns');
    appendFileSync(join(folder, 'minion'), `local_file: ${returns}\n`);
    const { outcome, close } = await begin('cmd.shell', [`: > ${file}; sleep 60; true`], { returner: 'local_file' });
    await saidIn(file);
    await close();
    expect(await outcome).toMatchObject({ success: false });
    expect(existsSync(returns)).toBe(false);
  });

  it('leaves what was to go on behind it', async () => {
    const file = join(folder, 'pid');
    const [left, later] = [join(folder, 'left'), join(folder, 'later')];
    // It says itself that it goes on: one that was killed is there until its parent has seen its end.
    const text = `: > ${file}; until [ -e ${left} ] || ! [ -e ${folder} ]; do sleep 0.02; done; : > ${later}`;
    const { outcome, close } = await begin('cmd.run_bg', [`sh -c '${text}'`]);
    await saidIn(file);
    await outcome;
    await close();
    writeFileSync(left, '');
    await saidIn(later);
  });
});

function isAlive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}
