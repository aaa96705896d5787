/** Rules of what a host goes by at its start: what it has seen of the cluster that it trusts now, and of no other. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryBroker } from '@natrium/bus';
import type { Link } from '@natrium/client';
import { fingerprint, type RolesChain, sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { ClusterTrust } from './cluster-trust.js';
import { type ComingIn, standingOn } from './coming-in.js';

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
function started(master_finger: string): ClusterTrust {
  const config = { pki_dir: join(folder, 'pki'), master_finger, trust_on_first_use: false };
  return new ClusterTrust(config, (problem) => {
    throw new Error(problem);
  });
}

function linkTo(chain: RolesChain): Link {
  const roles = { chain, document: { serial: 7 }, newest: chain[1].at(-1) };
  return { roles, clock: { floorMs: NOW } } as unknown as Link;
}

const seenBy = ({ minSerial, newest, timeFloorMs }: ClusterTrust) => ({ minSerial, newest, timeFloorMs });

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
