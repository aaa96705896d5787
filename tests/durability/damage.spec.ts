/**
 * Damaged files: what cannot be read is named and left as it is, nothing starts on a guess, and nothing runs twice.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf } from '@natrium/bus';
import { fingerprint, sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { BUILT } from '../support/places.js';
import { runProgram } from '../support/run-program.js';
import { World } from '../hostile/world.js';

describe('a return in a spool', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start();
  });
  afterEach(() => {
    world.gateway.release();
  });
  afterAll(() => world.stop());

  it.each([
    ['that is whole is sent after a restart', (text: string) => text, 'done', 1],
    ['that is damaged is told as interrupted, kept for a look, and not run again', damaged, 'interrupted', 1],
  ] as const)('%s', async (_about, change, status, runs) => {
    const mark = world.mark();
    const minion = await world.anotherMinion();
    const spool = join(minion.config.cachedir, 'spool', 'returns');
    const asked = world.signed(world.marking(mark, { tgt: minion.id }));
    const order = await world.gateway.granted(asked);
    world.gateway.withhold();
    expect(await world.gateway.sends(minion, order)).toMatchObject({ heard: 'done' });
    let before = '';
    await minion.restart(() => {
      before = change(readFileSync(spool, 'utf8'));
      writeFileSync(spool, before);
    });
    world.gateway.release();
    expect(await world.gateway.sends(minion, order)).toMatchObject({ heard: status });
    expect(mark.count()).toBe(runs);
    expect(before).toContain(digestOf(order.request));
    const said = minion.log.all.filter(({ msg }) => msg.includes('spooled returns are damaged'));
    expect(said).toHaveLength(status === 'done' ? 0 : 1);
    if (status === 'interrupted') expect(readFileSync(`${spool}.damaged`, 'utf8')).toBe(before);
  });
});

/** One letter of what is in the line. */
function damaged(text: string): string {
  return text.replace(/^(\w{64} .)(.)/m, (_, head: string, letter: string) => `${head}${letter === 'A' ? 'B' : 'A'}`);
}

describe('a process whose key file is damaged', () => {
  let folder: string;
  let pki: string;
  beforeAll(async () => {
    await sodiumReady();
    folder = mkdtempSync(join(tmpdir(), 'nt-damage-'));
    pki = join(folder, 'pki');
    const keys = new MasterKeys(pki);
    keys.create(Date.now());
    const finger = fingerprint(keys.chain()[0]);
    writeFileSync(join(folder, 'master'), 'nats: nats://127.0.0.1:1\n');
    writeFileSync(join(folder, 'minion'), `id: a\nnats: nats://127.0.0.1:1\nmaster_finger: '${finger}'\n`);
    writeFileSync(join(pki, 'minion.key'), `${'a'.repeat(64)}\n`, { mode: 0o600 });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['acl-service', 'roles'],
    ['acl-service', 'roles.d/acl.key'],
    ['master-gateway', 'roles.d/gateway.key'],
    ['runner-service', 'roles.d/runner.key'],
    ['minion-agent', 'minion.key'],
  ])('refuses to start, names the file, and leaves it as it is: %s, %s', async (app, file) => {
    const path = join(pki, file);
    const whole = readFileSync(path);
    const bytes = whole.subarray(0, whole.length - 7);
    writeFileSync(path, bytes);
    try {
      const { code, stderr } = await runProgram(process.execPath, [join(BUILT, app, 'main.mjs'), '-c', folder], {
        cwd: folder,
      });
      expect(code).toBe(1);
      expect(stderr).toContain(`key file ${path} does not`);
      expect(stderr).toContain('restore it from a backup');
      expect(stderr).not.toContain(bytes.toString('latin1').slice(0, 16));
      expect(readFileSync(path)).toEqual(bytes);
    } finally {
      writeFileSync(path, whole);
    }
  });
});
