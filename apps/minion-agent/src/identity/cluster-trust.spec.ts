/** Rules of which cluster a host trusts, and of what it goes by at its start: what it has seen of that one, and of no other. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock, MemoryBroker, type Transport } from '@natrium/bus';
import type { Link } from '@natrium/client';
import { fingerprint, identityFrom, newIdentitySecret, type RolesChain, sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { pino } from 'pino';
import { ClusterTrust, NoTrust } from './cluster-trust.js';
import { type ComingIn, greet, standingOn } from './coming-in.js';

const NOW = 1_795_000_000_000;

let folder: string;
beforeAll(sodiumReady);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-trust-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function aCluster(name: string): RolesChain {
  const keys = new MasterKeys(join(folder, name));
  keys.create(NOW);
  return keys.chain();
}

/** What a start goes by, with this in the configuration. */
function started(master_finger: string, trust_on_first_use = false): ClusterTrust {
  const config = { pki_dir: join(folder, 'pki'), master_finger, trust_on_first_use };
  return new ClusterTrust(config, (problem) => {
    throw new Error(problem);
  });
}

/** Nothing can be written there any more, not by root either. */
function spoilDisk(): void {
  rmSync(join(folder, 'pki'), { recursive: true, force: true });
  writeFileSync(join(folder, 'pki'), '');
}

function linkTo(chain: RolesChain): Link {
  const roles = { chain, document: { serial: 7 }, newest: chain[1].at(-1) };
  return { roles, clock: { floorMs: NOW } } as unknown as Link;
}

const seenBy = ({ minSerial, newest, timeFloorMs }: ClusterTrust) => ({ minSerial, newest, timeFloorMs });

it('is in doubt, until that was asked, where somebody speaks whom it does not know; not where he mends that himself', () => {
  const trust = started(fingerprint(aCluster('a')[0]));
  const log = pino({ enabled: false });
  const about = { config: {}, trust, log } as unknown as ComingIn;
  const { onOpenFailure } = standingOn(about, new MemoryBroker().connect(), false);
  onOpenFailure?.('unknown_sender', 'nt.main.job.x', true);
  onOpenFailure?.('stale', 'nt.main.job.x');
  expect(trust.takeDoubt()).toBe(false);
  onOpenFailure?.('unknown_sender', 'nt.main.job.x');
  expect([trust.takeDoubt(), trust.takeDoubt()]).toEqual([true, false]);
});

it('goes by what was kept of the cluster, whether master_finger names that one or nothing', () => {
  const chain = aCluster('a');
  const pinned = fingerprint(chain[0]);
  started(pinned).keep(linkTo(chain));
  for (const finger of [pinned, ''])
    expect(seenBy(started(finger))).toEqual({ minSerial: 7, newest: chain[1][0], timeFloorMs: NOW });
  const trust = started('');
  const about = { config: {}, trust } as unknown as ComingIn;
  const pin = { firstRoot: chain[0] };
  expect(standingOn(about, new MemoryBroker().connect(), false)).toMatchObject({
    pin,
    minSerial: 7,
    newest: trust.newest,
  });
});

it('goes by nothing of another cluster once master_finger names this one, and keeps this one then', () => {
  const [old, chain] = [aCluster('a'), aCluster('b')];
  started(fingerprint(old[0])).keep(linkTo(old));
  const moved = started(fingerprint(chain[0]));
  expect(seenBy(moved)).toEqual({ minSerial: 0, newest: undefined, timeFloorMs: 0 });
  moved.keep(linkTo(chain));
  expect(started('').pin()).toEqual({ firstRoot: chain[0] });
});

it('says once what to do where the time that was kept is ahead of the acl-service’s by more than clocks may differ, and else nothing', () => {
  const chain = aCluster('a');
  const pinned = fingerprint(chain[0]);
  started(pinned).keep(linkTo(chain));
  const told = (finger: string, aheadMs: number, skewMs = 30_000) => {
    const trust = started(finger);
    const clock = new Clock(skewMs, () => NOW + 500_000);
    clock.raiseFloor(trust.timeFloorMs);
    clock.adjust(NOW - aheadMs, NOW + 500_000, NOW + 500_000);
    const said = trust.aheadOf(clock);
    expect(trust.aheadOf(clock)).toBeUndefined(); // a host that joins greets twice
    return said;
  };
  expect([told(pinned, 30_000), told(pinned, -86_400_000)]).toEqual([undefined, undefined]);
  const said = told(pinned, 86_400_000);
  expect(said).toContain(`kept in ${join(folder, 'pki', 'cluster')}, is 86400 s ahead of the acl-service's`);
  expect(said).toContain('if a clock was wrong, stop this agent, remove that file and start it again');
  expect(told('', 31_000)).toContain('if a clock was wrong, set master_finger, which that file stands for now, stop');
});

it('refuses where nothing says which cluster to trust, and sends nothing; what trusts the first says hello', async () => {
  const sent: string[] = [];
  const nobody = new MemoryBroker().connect();
  const transport: Transport = {
    ...nobody,
    publish: (subject, ...message) => {
      sent.push(subject);
      nobody.publish(subject, ...message);
    },
  };
  const said = (sentence: string) => {
    throw new Error(sentence);
  };
  const { signal } = new AbortController();
  const identity = identityFrom(newIdentitySecret());
  const about = { config: { cluster: 'main' }, identity, clock: new Clock(1000), log: { debug: said } };
  const greets = (trust: ClusterTrust) => greet({ ...about, signal, trust } as unknown as ComingIn, transport);
  await expect(greets(started(''))).rejects.toThrow(NoTrust);
  expect(sent).toEqual([]);
  await expect(greets(started('', true))).rejects.toThrow(/^no acl-service/);
  expect(sent).toEqual(['nt.main.hello']);
});

it('trusts the first cluster that it meets where it is told to, and that one alone from then on', () => {
  const chain = aCluster('a');
  const trust = started('', true);
  expect(trust.pin()).toBe('first');
  trust.keep(linkTo(chain));
  for (const later of [trust, started('', true), started('')]) expect(later.pin()).toEqual({ firstRoot: chain[0] });
});

it('trusts whom master_finger names, also where it was told to trust the first, or has met another', () => {
  const [old, finger] = [aCluster('a'), fingerprint(aCluster('b')[0])];
  started('', true).keep(linkTo(old));
  expect(started(finger, true).pin()).toEqual({ fingerprint: finger });
});

it('ends where the first cluster cannot be kept, since the next start would trust another', () => {
  const trust = started('', true);
  spoilDisk();
  expect(() => {
    trust.keep(linkTo(aCluster('a')));
  }).toThrow(NoTrust);
  expect(trust.pin()).toBe('first');
});

it('goes on where more of the cluster that it knows cannot be kept, and says so', () => {
  const chain = aCluster('a');
  for (const finger of ['', fingerprint(chain[0])]) {
    rmSync(join(folder, 'pki'), { recursive: true, force: true });
    const trust = started(finger, true);
    if (finger === '') trust.keep(linkTo(chain));
    spoilDisk();
    expect(() => {
      trust.keep(linkTo(chain));
    }).toThrow('is not kept for the next start');
  }
});
