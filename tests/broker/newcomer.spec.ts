/** What a host says that cannot ask to join: the file it lacks, the broker or the acl-service that is not there, the word that nobody knows. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oneMoreMinion } from '../support/one-more-minion.js';
import { BUILT } from '../support/places.js';
import { type Ran, runProgram } from '../support/run-program.js';
import { useCluster } from '../support/use-cluster.js';

const cluster = useCluster({ minions: [], masterConfig: '' });
/** Who waits for a broker does so for ever. */
const ENDED_MS = 6000;
let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'nt-newcomer-'));
});
afterEach(() => {
  rmSync(place, { recursive: true });
});

it('has no join.creds', async () => {
  const { code, stderr } = await agent(`join_creds: ${place}/none\n`);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `natrium-minion web9: the broker at ${cluster().brokerUrl} wants to know who comes, and there is no ${place}/none: copy pki/broker/join.creds of the master there\n`,
  });
});

it('finds no broker, and waits for it', async () => {
  const { code, stdout } = await agent('nats: nats://me:secret@127.0.0.1:1\n');
  expect(code).toBe(-1);
  expect(stdout.match(/"msg":"[^"]*"/g)).toEqual([
    expect.stringMatching(/nats of \S+ is replaced as a whole by \S+own\.conf:1"$/),
    '"msg":"no broker answers at nats://127.0.0.1:1; trying on"',
  ]);
  expect(stdout).not.toContain('secret');
});

it('finds a broker without the TLS that its address asks for: it says so once, and waits', async () => {
  const address = cluster().brokerUrl.replace('nats:', 'tls:');
  const { code, stdout } = await agent(`nats: ${address}\n`);
  expect(code).toBe(-1);
  expect(stdout.match(/"msg":"[^"]*"/g)?.slice(1)).toEqual([
    `"msg":"the broker at ${address} offers no TLS, which broker_ca or a tls:// in nats asks for; trying on"`,
  ]);
});

it('has no CA of the broker where its file says', async () => {
  const { code, stderr } = await agent(`broker_ca: ${place}/none\n`);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `natrium-minion web9: ${place}/none: broker_ca: cannot read the file (ENOENT). Mend: put it there, for this account to read, or name another.\n`,
  });
});

it('finds no acl-service that answers, and waits for it', async () => {
  cluster().kill('acl-service', 'SIGSTOP');
  try {
    const { code, stdout } = await agent('');
    expect(code).toBe(-1);
    expect(stdout.match(/"msg":"[^"]*"/g)).toEqual(['"msg":"no acl-service of the cluster main answers; trying on"']);
  } finally {
    cluster().kill('acl-service', 'SIGCONT');
  }
});

it('is told a word that nobody knows', async () => {
  const { code, stderr } = await agent('', '--frob');
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^natrium-minion: Unknown option '--frob'[^\n]*\n$/) as string,
  });
});

/** @param own Lines that take the place of those that lead to the cluster. */
function agent(own: string, ...words: readonly string[]): Promise<Ran> {
  const folder = oneMoreMinion(cluster(), place, 'web9');
  writeFileSync(join(folder, 'own.conf'), own);
  writeFileSync(join(folder, 'minion'), 'include: own.conf\n', { flag: 'a' });
  const program = join(BUILT, 'minion-agent', 'main.mjs');
  return runProgram(process.execPath, [program, '-c', folder, ...words], { timeoutMs: ENDED_MS });
}
