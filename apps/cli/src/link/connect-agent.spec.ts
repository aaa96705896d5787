/** Rules of what the agent's socket may do to `natrium-call`. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAgent } from './connect-agent.js';

let folder: string;
let agent: Server;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-agent-'));
  writeFileSync(join(folder, 'minion'), `id: web1\nroot_dir: ${folder}\nsock_dir: ${folder}\n`);
});
afterEach(() => {
  agent.close();
  rmSync(folder, { recursive: true });
});

/** What a call gives whose agent says this and dies. */
async function outcomeOf(said: string) {
  agent = createServer((socket) => socket.once('data', () => socket.end(said)));
  await once(agent.listen(join(folder, 'minion.sock')), 'listening');
  const link = await connectAgent({ configDir: folder, local: false });
  if (!link.ok) throw new Error(link.error.sentence);
  return link.value.call('publish.publish', ['*', 'test.ping'], {});
}

it('an answer is an answer, also when the connection ends with it', async () => {
  expect(await outcomeOf('{"ret": {"a": true}, "retcode": 0, "success": true}\n')).toMatchObject({ ret: { a: true } });
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
