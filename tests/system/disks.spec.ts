/**
 * A minion whose disk takes nothing: full, or read-only. Nothing runs that is not written down, nothing runs twice, no return
 * is lost, the log says what, where and what to do, and all goes on by itself when the disk takes something again.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf, NatsTransport, openBucket, writeTrouble } from '@natrium/bus';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys, readIdentity, readOrMakeIdentity, RolesChanges } from '@natrium/keystore';
import type { Asked, JobOrder, Mark, TestMinion, Verdict } from '@natrium/testing';
import { World } from '../hostile/world.js';
import { BrokerNodes } from '../support/broker-nodes.js';
import { SmallDisk } from './small-disk.js';

/** More than what fits into the rest of the record's last page. */
const MANY = 80;
const UNWRITABLE = { heard: 'refused', code: 'record_unwritable' };

let world: World;
const disks: SmallDisk[] = [];
beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => {
  for (const disk of disks) {
    disk.free();
    disk.unmount();
  }
  await world.stop();
});

interface Host {
  readonly minion: TestMinion;
  readonly disk: SmallDisk;
}

/** A minion whose whole state is on a small disk; its sockets are elsewhere, as below /run. */
async function aHost(name: string): Promise<Host> {
  const id = `${name}.example.com`;
  const folder = join(world.cluster.folder, 'minions', id);
  const disk = SmallDisk.mount(folder);
  disks.push(disk);
  mkdirSync(join(folder, 'minion.d'));
  writeFileSync(join(folder, 'minion.d', 'run.conf'), `sock_dir: ${join(world.cluster.folder, `run-${name}`)}\n`);
  return { minion: await world.cluster.addMinion(id), disk };
}

async function ordered(mark: Mark, minion: TestMinion): Promise<Asked & JobOrder> {
  const asked = world.signed(world.marking(mark, { tgt: minion.id }));
  return { ...asked, ...(await world.gateway.granted(asked)) };
}

async function ran(mark: Mark, minion: TestMinion): Promise<Verdict> {
  return world.gateway.sends(minion, await ordered(mark, minion));
}

const said = (minion: TestMinion, words: string) => minion.log.all.filter(({ msg }) => msg.includes(words));

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not happen');
}

describe('a full disk', () => {
  it('lets nothing run that cannot be written down; with room again it goes on by itself, and nothing ran twice', async () => {
    const { minion, disk } = await aHost('full');
    const mark = world.mark();
    const done: JobOrder[] = [];
    let last: Verdict | undefined;
    for (let n = 0; n < MANY && last?.heard !== 'refused'; n += 1) {
      disk.fill();
      const order = await ordered(mark, minion);
      last = await world.gateway.sends(minion, order);
      if (last.heard === 'done') done.push(order);
    }
    expect(last).toMatchObject(UNWRITABLE);
    expect(await ran(mark, minion)).toMatchObject(UNWRITABLE);
    expect(mark.count()).toBe(done.length);
    const [alert, ...more] = said(minion, 'nothing runs on this minion');
    expect(alert?.msg).toMatch(/run-once cannot be written .*make room on that disk/);
    expect(more).toEqual([]);

    disk.free();
    expect(await ran(mark, minion)).toMatchObject({ heard: 'done' });
    expect(said(minion, 'the run-once record can be written again')).toHaveLength(1);
    expect(mark.count()).toBe(done.length + 1);
    await world.gateway.settled(minion.link);
    for (const order of done)
      expect(await world.gateway.sends(minion, order)).toMatchObject({ heard: 'already_returned' });
    expect(mark.count()).toBe(done.length + 1);
    // What was written in part was taken back: the record is whole.
    await minion.restart();
    expect(said(minion, 'record')).toEqual([]);
    expect(await ran(mark, minion)).toMatchObject({ heard: 'done' });
  });

  it('keeps returns in memory and sends them; they are written as soon as there is room, and outlive the agent then', async () => {
    const { minion, disk } = await aHost('spool');
    const mark = world.mark();
    expect(await ran(mark, minion)).toMatchObject({ heard: 'done' });
    const spool = join(minion.config.cachedir, 'spool', 'returns');
    await until(() => readFileSync(spool).length === 0);
    disk.fill();
    world.gateway.withhold();
    const order = await ordered(mark, minion);
    expect(await world.gateway.sends(minion, order)).toMatchObject({ heard: 'done' });
    await until(() => said(minion, 'returns are kept in memory only').length > 0);
    expect(said(minion, 'returns are kept in memory only')[0]?.msg).toMatch(
      /spool\/returns cannot be written .*make room/,
    );
    expect(readFileSync(spool, 'utf8')).not.toContain(digestOf(order.request));

    disk.free();
    await until(() => said(minion, 'the spool can be written again').length === 1);
    expect(readFileSync(spool, 'utf8')).toContain(digestOf(order.request));
    await minion.restart();
    world.gateway.release();
    expect(await world.gateway.sends(minion, order)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(2);
  });

  it('does not keep an agent from starting: it says what it cannot do, and does it when there is room', async () => {
    const { minion, disk } = await aHost('start');
    const mark = world.mark();
    expect(await ran(mark, minion)).toMatchObject({ heard: 'done' });
    await minion.restart(() => {
      disk.fill();
    });
    expect(said(minion, 'not kept for the next start')[0]?.msg).toMatch(/cluster cannot be written .*make room/);
    expect(await ran(mark, minion)).toMatchObject(UNWRITABLE);
    disk.free();
    expect(await ran(mark, minion)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(2);
  });
});

describe('a read-only disk', () => {
  it('lets nothing run, and everything once it is writable again', async () => {
    const { minion, disk } = await aHost('readonly');
    const mark = world.mark();
    const order = await ordered(mark, minion);
    expect(await world.gateway.sends(minion, order)).toMatchObject({ heard: 'done' });
    await minion.restart(() => {
      disk.readOnly(true);
    });
    expect(await ran(mark, minion)).toMatchObject(UNWRITABLE);
    expect(said(minion, 'nothing runs on this minion')[0]?.msg).toMatch(/EROFS.*make that disk writable again/);
    expect(await world.gateway.sends(minion, order)).toMatchObject({ heard: 'already_returned' });
    disk.readOnly(false);
    expect(await ran(mark, minion)).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(2);
  });
});

describe('keys on a disk that takes nothing', () => {
  let disk: SmallDisk;
  let folder: string;
  beforeEach(async () => {
    await sodiumReady();
    folder = mkdtempSync(join(tmpdir(), 'nt-disk-'));
    disk = SmallDisk.mount(folder);
  });
  afterEach(() => {
    disk.unmount();
    rmSync(folder, { recursive: true, force: true });
  });

  it('a new identity is made whole or not at all', () => {
    const path = join(folder, 'minion.key');
    disk.fill();
    expect(() => readOrMakeIdentity(path)).toThrow(/ENOSPC/);
    expect(readdirSync(folder)).toEqual(['filler']);
    disk.free();
    expect(readOrMakeIdentity(path).fresh).toBe(true);
    disk.readOnly(true);
    expect(readIdentity(path)).toBeDefined();
  });

  it.each(['renew', 'newKey', 'newRoot'] as const)(
    'a change of roles (%s) is made or not, and can be made again',
    (change) => {
      const keys = new MasterKeys(folder);
      keys.create(Date.now());
      const changes = new RolesChanges(keys);
      const make = () => (change === 'newKey' ? changes.newKey('gateway', Date.now()) : changes[change](Date.now()));
      disk.fill();
      expect(make).toThrow(/ENOSPC/);
      expect(keys.roles().document.serial).toBe(1);
      expect(keys.roleKey('gateway').publicKey).toEqual(keys.roles().document.roles.gateway[0]);
      disk.free();
      expect(make().serial).toBe(2);
      expect(keys.roles().document.serial).toBe(2);
      expect(existsSync(join(folder, 'filler'))).toBe(false);
    },
  );

  it('a storage key is made or not, and the one before goes on sealing', () => {
    const keys = new MasterKeys(folder);
    keys.create(Date.now());
    const jobs = keys.storageKeys('jobs');
    const before = jobs.newest.id;
    disk.fill();
    expect(() => jobs.add(Date.now() + 5000)).toThrow(/ENOSPC/);
    jobs.reload();
    expect([jobs.ids, jobs.newest.id]).toEqual([[before], before]);
    disk.free();
    jobs.add(Date.now() + 5000);
    expect(jobs.ids).toHaveLength(2);
  });
});

describe('a broker whose disk is full', () => {
  const LONG_MS = 120_000;
  let nodes: BrokerNodes;
  let disk: SmallDisk;
  let transport: NatsTransport;
  const alerts: string[] = [];
  beforeAll(async () => {
    nodes = await BrokerNodes.make(1);
    disk = SmallDisk.mount(nodes.folder, 8192);
    await nodes.startOne();
    transport = await NatsTransport.connect({
      servers: [nodes.url],
      name: 'test',
      waitOnFirstConnect: true,
      onAlert: (alert) => alerts.push(alert),
    });
  }, LONG_MS);
  afterAll(async () => {
    await transport.drain();
    await nodes.stop(() => {
      disk.unmount();
    });
  });

  it(
    'says so at the first write that it does not take; what it took before is there when it was started again with room',
    async () => {
      const bucket = await openBucket(transport, { name: 'FULL', replicas: 1, ttlMs: 0 });
      const taken: string[] = [];
      let refusal = '';
      for (let n = 0; n < 200 && refusal === ''; n += 1) {
        if (n === 20) disk.fill();
        const key = `k${String(n)}`;
        await bucket.put(key, new Uint8Array(10_000)).then(
          () => taken.push(key),
          (cause: unknown) => (refusal = String(cause)),
        );
      }
      expect(refusal).toMatch(/JetStream/);
      expect(alerts).toEqual([expect.stringContaining('the broker takes no writes to FULL')]);
      expect(writeTrouble(transport)).toMatch(/look at its disk/);

      disk.free();
      nodes.killFirst();
      await until(async () => {
        const put = bucket.put('after', Uint8Array.of(1));
        return put.then(
          () => true,
          () => false,
        );
      });
      for (const key of taken) expect((await bucket.get(key))?.value).toHaveLength(10_000);
      expect(writeTrouble(transport)).toBeUndefined();
      expect(alerts.at(-1)).toBe('the broker takes writes to FULL again');
    },
    LONG_MS,
  );
});
