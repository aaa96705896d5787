/** Backup and restore of `pki/`: an older one put back brings nobody back to an older roles document, and everything works. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RolesChanges, MasterKeys, readRolesFile } from '@natrium/keystore';
import { rolesChainToWire, encode, sodiumReady } from '@natrium/envelope';
import { until } from '@natrium/testing';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';

await sodiumReady();

it(
  'takes up a cluster from a backup of its keys, at the newest roles document that was seen',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nt-restore-'));
    const [pki, backup] = [join(folder, 'master', 'pki'), join(folder, 'backup')];
    const options = { minions: ['a'], masterConfig: "peer: {'.*': ['.*']}\n", folder };
    try {
      const before = await upCluster(options);
      cpSync(pki, backup, { recursive: true, preserveTimestamps: true });
      new RolesChanges(new MasterKeys(pki)).renew(Date.now());
      await until('the gateway has seen the new document', () => seen(folder) === text(join(pki, 'roles')));
      for (const { pid, name } of before.processes()) if (name === 'a') limits.push(coreLimit(pid));
      await before.stop();
      rmSync(pki, { recursive: true });
      cpSync(backup, pki, { recursive: true, preserveTimestamps: true });

      const after = await upCluster(options);
      expect((await after.natrium('*', 'test.ping')).code).toBe(0);
      await until('it is told', () => after.lines.some((line) => line.includes('older than one that was seen')));
      expect(seen(folder)).not.toBe(text(join(pki, 'roles')));
      await after.stop();
      expect(limits).toEqual(['0']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  2 * START_MS,
);

it(
  'a broker that has lost all that it held is filled again: minions ask to join, with the keys and the users that they have',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nt-emptied-'));
    const options = { minions: ['a', 'b'], masterConfig: '', folder };
    try {
      const before = await upCluster(options);
      expect((await before.natrium('*', 'test.ping')).code).toBe(0);
      await before.stop();
      rmSync(join(folder, 'broker', 'jetstream'), { recursive: true });

      const after = await upCluster(options);
      const { stdout } = await after.natrium('*', 'test.ping', '--static', '--out', 'json');
      expect(JSON.parse(stdout)).toEqual({ a: true, b: true });
      await after.stop();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  2 * START_MS,
);

it(
  'a broker from a backup accepts again who was rejected since, until that is done again; heads of the log from before tell "cut"',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nt-older-'));
    const [stored, backup, log] = [join(folder, 'broker', 'jetstream'), join(folder, 'backup'), join(folder, 'log')];
    const options = { minions: ['a', 'b'], masterConfig: 'log_level: info\n', folder };
    const accepted = async (cluster: UpCluster) => (await cluster.key('-l', 'acc', '--out', 'json')).stdout;
    const reject = (cluster: UpCluster) => cluster.key('-y', '-r', 'b', '--include-accepted');
    try {
      await (await upCluster(options)).stop();
      cpSync(stored, backup, { recursive: true, preserveTimestamps: true });
      const since = await upCluster(options);
      expect((await reject(since)).code).toBe(0);
      expect(JSON.parse(await accepted(since))).toEqual({ minions: ['a'] });
      await since.stop();
      const heads = since.lines.filter((line) => line.includes('"audit head"'));
      writeFileSync(log, heads.map((line) => line.slice(line.indexOf('{'))).join('\n'));
      rmSync(stored, { recursive: true });
      cpSync(backup, stored, { recursive: true, preserveTimestamps: true });

      const after = await upCluster(options);
      expect(JSON.parse(await accepted(after))).toEqual({ minions: ['a', 'b'] });
      expect((await after.natrium('b', 'test.ping')).code).toBe(0);
      expect((await reject(after)).code).toBe(0);
      expect(JSON.parse(await accepted(after))).toEqual({ minions: ['a'] });
      expect((await after.natrium('b', 'test.ping')).code).not.toBe(0);
      const found = await after.ctl('audit', 'verify', '--heads', log);
      expect(found).toMatchObject({ code: 1, stdout: expect.stringMatching(/^cut: chain .*\n1 finding:/) as string });
      await after.stop();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  3 * START_MS,
);

const limits: string[] = [];

/** What keeps a crash from writing keys to a disk. */
function coreLimit(pid: number): string {
  return /^Max core file size +(\S+)/m.exec(readFileSync(`/proc/${String(pid)}/limits`, 'utf8'))?.[1] ?? 'none';
}

function seen(folder: string): string {
  return text(join(folder, 'master', 'cache', 'roles-gateway'));
}

function text(path: string): string {
  const chain = readRolesFile(path);
  return chain === undefined ? '' : Buffer.from(encode(rolesChainToWire(chain))).toString('hex');
}
