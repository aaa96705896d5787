/** A state folder that an earlier version of `natriumctl up` has left. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
