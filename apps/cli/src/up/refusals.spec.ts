/** Rules of what `up` does not begin: it says why, and nothing is started or made that a next try would stumble over. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '@natrium/keystore';
import { UsageError } from '../common/options.js';
import type { UpOptions } from '../ports.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { ONE_UP, runUp } from './up.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-up-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function optionsWith(own: Partial<UpOptions>): UpOptions {
  return { state: join(folder, 'state'), minions: [], replicas: {}, ...own };
}

it.each<[string, Partial<UpOptions>, string]>([
  ['a service that is none', { replicas: { 'acl-servce': 2 } }, 'option --replicas: there is no service acl-servce; there are acl-service, master-gateway, runner-service, event-sink'],
  ['a minion whose name is none', { minions: ['a/b'] }, 'option --minions: "a/b" is no name of a minion'],
  ['a master file that is not there', { masterConfig: '/nowhere/master' }, 'option --master-config: there is no file /nowhere/master'],
])('%s is a word that makes no sense, and nothing is made', async (_, own, sentence) => {
  const io = new ScriptedIo();
  await expect(runUp(optionsWith(own), io)).rejects.toThrow(new UsageError(sentence));
  expect(existsSync(join(folder, 'state'))).toBe(false);
}); // prettier-ignore

it('a master file with problems is told of before anything is started, and no cluster is founded', async () => {
  const masterConfig = join(folder, 'salt-master');
  writeFileSync(masterConfig, 'peer: {}\nworker_treads: 3\n');
  const io = new ScriptedIo();
  expect(await runUp(optionsWith({ masterConfig }), io)).toBe(78);
  expect(io.stderr).toMatch(/state\/master\/master:2: worker_treads: .*\n/);
  expect(existsSync(join(folder, 'state', 'master', 'pki'))).toBe(false);
});

it('a state folder that another has is left as it is', async () => {
  const state = join(folder, 'state');
  const lock = await lockFolder(state, ONE_UP);
  const before = readdirSync(state);
  const io = new ScriptedIo();
  expect(await runUp(optionsWith({}), io)).toBe(1);
  expect(io.stderr).toMatch(/^natriumctl: error: \S+\/state is in use by another natriumctl up \(process \d+\); .*\n$/);
  expect(readdirSync(state)).toEqual(before);
  lock.release();
});
