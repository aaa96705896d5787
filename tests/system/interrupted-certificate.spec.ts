/** The broker's certificate where its making was killed, which the host's openssl is needed for: the next run leaves a pair. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkServerKey } from '../../apps/cli/src/doctor/host-checks.js';
import { isPair } from '../../apps/cli/src/init/broker-tls.js';
import { runInit } from '../../apps/cli/src/init/init.js';
import { ScriptedIo } from '../../apps/cli/src/testing/scripted-io.js';
import { certify } from '../../apps/cli/src/up/folders.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'nt-interrupted-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const at = (name: string) => join(dir, 'pki', 'broker', 'tls', name);
const holdsPairs = () => ['ca', 'server'].map((name) => isPair(at(`${name}.crt`), at(`${name}.key`)));

async function init(...brokerTls: readonly string[]): Promise<void> {
  expect(await runInit({ configDir: dir, brokerTls }, new ScriptedIo())).toBe(0);
}

it.each([
  ['the CA’s certificate', ['ca.crt', 'server.crt', 'server.key']],
  ['the certificate', ['server.crt']],
])('a first one that was killed before %s is made by the next run, and by up --tls', async (_, lost) => {
  const runs = [() => init('localhost'), () => certify(dir)];
  await init('localhost');
  const key = readFileSync(at('ca.key'));
  for (const run of runs) {
    for (const name of lost) rmSync(at(name));
    await run();
    expect([holdsPairs(), readFileSync(at('ca.key')).equals(key)]).toEqual([[true, true], true]);
  }
});

it.each([
  ['whose certificate is the one before', at.bind(null, 'server.crt'), () => readFileSync(at('server.crt'))],
  ['of which nothing was written', at.bind(null, 'server.key'), () => Buffer.alloc(0)],
])('a key %s is told of by natriumctl doctor, and replaced by init and by up --tls', async (_, path, spoilt) => {
  const problems = () => checkServerKey({ pki_dir: join(dir, 'pki') });
  const mends = [() => init('localhost'), () => certify(dir)];
  await init('localhost');
  for (const mend of mends) {
    const content = spoilt();
    await init('localhost');
    writeFileSync(path(), content);
    const what = `${at('server.key')} is not the key of ${at('server.crt')}: no broker starts with the two`;
    expect(problems()).toEqual([expect.objectContaining({ check: 'certificates', level: 'problem', what })]);
    await mend();
    expect([problems(), holdsPairs()]).toEqual([[], [true, true]]);
  }
}); // prettier-ignore
