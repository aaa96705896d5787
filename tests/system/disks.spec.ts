/**
 * A minion whose disk takes nothing: full, or read-only. Nothing runs that is not written down, nothing runs twice, no return
 * is lost, the log says what, where and what to do, and all goes on by itself when the disk takes something again.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf, writeChain } from '@natrium/bus';
import { sodiumReady } from '@natrium/envelope';
import { MasterKeys, readIdentity, readOrMakeIdentity, readRolesFile, RolesChanges } from '@natrium/keystore';
import { type Asked, until } from '@natrium/testing';
import { aCluster, type JobOrder, type Mark, type TestMinion, type Verdict } from '@natrium/testing/cluster';
import { apps } from '../hostile/apps.js';
import { World } from '../hostile/world.js';
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
    await until('the spool is empty', () => readFileSync(spool).length === 0);
    disk.fill();
    world.gateway.withhold();
    const order = await ordered(mark, minion);
    expect(await world.gateway.sends(minion, order)).toMatchObject({ heard: 'done' });
    await until('the alert', () => said(minion, 'returns are kept in memory only').length > 0);
    expect(said(minion, 'returns are kept in memory only')[0]?.msg).toMatch(
      /spool\/returns cannot be written .*make room/,
    );
    expect(readFileSync(spool, 'utf8')).not.toContain(digestOf(order.request));

    disk.free();
    await until('the word that it is over', () => said(minion, 'the spool can be written again').length === 1);
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

describe('a service whose cachedir is read-only', () => {
  it('takes newer roles over, says that they are not kept, and keeps them once it can', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nt-disk-'));
    const disk = SmallDisk.mount(folder);
    const cluster = await aCluster({ apps, minions: [], master: `cachedir: ${folder}\n` });
    const acl = cluster.aclLog.all;
    const serial = () => cluster.gateway.link.roles.document.serial;
    try {
      disk.readOnly(true);
      new RolesChanges(cluster.keys).renew(Date.now());
      await until(
        'the alert',
        () => serial() === 2 && acl.some(({ msg }) => msg.includes('roles document is not kept')),
      );
      const [alert] = acl.filter(({ msg }) => msg.includes('roles document is not kept'));
      expect(alert?.msg).toMatch(/roles-acl cannot be written .*EROFS.*make that disk writable again/);
      disk.readOnly(false);
      // As the acl-service does every five minutes.
      const { transport, subjects, roles } = cluster.gateway.link;
      transport.publish(subjects.dir('roles'), writeChain(roles.chain));
      await until('the word that it is over', () =>
        acl.some(({ msg }) => msg.includes('is kept for the next start now')),
      );
      expect(readRolesFile(join(folder, 'roles-acl'))?.[1]).toHaveLength(2);
    } finally {
      await cluster.stop();
      disk.unmount();
      rmSync(folder, { recursive: true, force: true });
    }
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
