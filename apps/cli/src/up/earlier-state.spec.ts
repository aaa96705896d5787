/** A state folder that an earlier version of `natriumctl up` has left. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrokerKeys } from '@natrium/broker-auth';
import { runInit } from '../init/init.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { runUp } from './up.js';

const NO_BROKER = '/nowhere/nats-server';
const before = process.env['NATRIUM_NATS_SERVER'];
let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'nt-up-'));
  process.env['NATRIUM_NATS_SERVER'] = NO_BROKER;
});
afterEach(() => {
  if (before === undefined) delete process.env['NATRIUM_NATS_SERVER'];
  else process.env['NATRIUM_NATS_SERVER'] = before;
  rmSync(state, { recursive: true });
});

async function founded(cluster: string): Promise<string> {
  const master = join(state, 'master');
  mkdirSync(master);
  writeFileSync(join(master, 'master'), `cluster: ${cluster}\n`);
  expect(await runInit({ configDir: master }, new ScriptedIo())).toBe(0);
  return join(master, 'master');
}

it('is not taken up under another name of the cluster: up says which its keys are of, and the master file stays', async () => {
  const master = await founded('site-1');
  const masterConfig = join(state, 'given');
  for (const [text, line] of [['peer: {}\ncluster: other\n', ':2: cluster: '], ['peer: {}\n', ': cluster: ']] as const) {
    writeFileSync(masterConfig, text);
    const io = new ScriptedIo();
    expect(await runUp({ state, minions: [], replicas: {}, masterConfig }, io)).toBe(78);
    expect(io.stderr).toContain(masterConfig);
    expect(io.stderr).toContain(`${line}the keys of this cluster are of site-1, and not of `);
    expect(io.stderr).toContain('set cluster: site-1');
    expect(readFileSync(master, 'utf8')).toBe('cluster: site-1\n');
  }
}); // prettier-ignore

it.each([
  ['its own name', {}, 'cluster: site-1\n'],
  ['another name, where its broker asks for no keys', { brokerAuth: 'none' }, 'cluster: other\n'],
] as const)('is taken up under %s', async (_, own, text) => {
  await founded('site-1');
  const masterConfig = join(state, 'given');
  writeFileSync(masterConfig, text);
  const io = new ScriptedIo();
  expect(await runUp({ state, minions: [], replicas: {}, masterConfig, ...own }, io)).toBe(1);
  expect(io.stderr).toContain(`${NO_BROKER} cannot be run`);
});

it('gets the users of the broker that it lacks before anything is started', async () => {
  expect(await runInit({ configDir: join(state, 'master') }, new ScriptedIo())).toBe(0);
  const keys = new BrokerKeys(join(state, 'master', 'pki', 'broker'));
  const scopes = join(keys.folder, 'acl', 'scopes.json');
  const { sink: _, ...earlier } = JSON.parse(readFileSync(scopes, 'utf8')) as Record<string, string>;
  writeFileSync(scopes, JSON.stringify(earlier));
  rmSync(keys.credsPath('sink'));
  const io = new ScriptedIo();
  expect(await runUp({ state, minions: [], replicas: {} }, io)).toBe(1);
  expect(io.stderr).toContain(`${NO_BROKER} cannot be run`);
  expect([keys.missing, readFileSync(keys.credsPath('sink'), 'utf8')]).toEqual([
    [],
    expect.stringContaining('BEGIN NATS USER JWT') as string,
  ]);
});
