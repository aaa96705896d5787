/**
 * `natriumctl keys rotate`: storage keys come, and go with the last value under them.
 *
 * Only this deletes keys, and only one that has long been followed by another, so that no service still seals with it.
 * Spec: spec/envelope.md#storage.
 */
import { type NatsTransport, openBucket, resealAll, storedKeyIds } from '@natrium/bus';
import { replicasOf } from '@natrium/config';
import {
  type FolderUse,
  lockFolder,
  removeDraftsIn,
  STORAGE_CLASSES,
  type StorageClass,
  type StorageFolder,
  storageKeyId,
} from '@natrium/keystore';
import { EXIT } from '../common/exit-codes.js';
import { say } from '../common/refused.js';
import { asRole } from '../link/as-role.js';
import type { Io } from '../ports.js';
import { type MasterFolder, withMasterFolder } from './master-folder.js';

export interface KeysOptions {
  readonly configDir: string;
  readonly delayMs: number;
}

/** What would otherwise keep a key for ever; jobs, events, tokens and runs end by themselves, the audit stays as it was written. */
const LONG_LIVED: readonly (readonly [bucket: string, of: StorageClass])[] = [
  ['roster', 'roster'],
  ['data', 'inventory'],
  ['sinks', 'events'],
];
/** A key that was followed so long ago seals nowhere any more. */
const FOLLOWED_MS = 3_600_000;
const NO_KEEPER = 'broker_auth is jwt, and there are no credentials of the keeper; natriumctl init makes them';

/** Of a folder of keys: two that made one at the same second would each seal with another of the same name, and one of them would be in no file. */
const ONE_ROTATION: FolderUse = {
  name: 'rotate',
  program: 'natriumctl keys rotate',
  mend: 'do it again when that one has ended; nothing was changed',
};

export function runKeysRotate(options: KeysOptions, io: Io): Promise<number> {
  return withMasterFolder(options.configDir, io, async (folder) => {
    const lock = await lockFolder(folder.keys.folder, ONE_ROTATION);
    try {
      const done = await asRole('keeper', folder.config, (transport) => rotate(folder, transport, options.delayMs));
      if (done === undefined) {
        say(NO_KEEPER, io);
        return EXIT.failed;
      }
      io.out(done.told);
      for (const trouble of done.troubles) say(trouble, io);
      return done.troubles.length > 0 ? EXIT.failed : EXIT.ok;
    } finally {
      lock.release();
    }
  });
}

interface Rotated {
  readonly told: string;
  /** What did not open with any key. */
  readonly troubles: readonly string[];
}

async function rotate({ keys, config }: MasterFolder, transport: NatsTransport, delayMs: number): Promise<Rotated> {
  const folders = new Map(STORAGE_CLASSES.map((name) => [name, keys.storageKeys(name)]));
  const now = Date.now();
  for (const folder of folders.values()) {
    removeDraftsIn(folder.folder); // of a rotation that was killed: each may hold a key
    folder.add(now + delayMs);
  }
  let resealed = 0;
  const troubles: string[] = [];
  for (const [bucket, of] of LONG_LIVED) {
    const name = `NT_${config.cluster}_${bucket}`;
    const folder = folders.get(of);
    if (folder === undefined) continue;
    const store = await openBucket(transport, { name, replicas: replicasOf(config), ttlMs: 0 });
    const { count, unopened } = await resealAll(store, folder);
    resealed += count;
    if (unopened === 0) continue;
    troubles.push(unopenedSentence(bucket, unopened, folder.folder));
    folders.delete(of); // a key that seems to be needed by nothing may be what is put back for them
  }
  const used = await storedKeyIds(transport, config.cluster);
  const deleted =
    used === undefined
      ? 'no keys deleted: not everything that is stored could be read'
      : `${String([...folders.values()].reduce((count, folder) => count + removeUnused(folder, used, now), 0))} keys deleted`;
  const told = `new keys seal from ${storageKeyId(now + delayMs)} UTC on; ${String(resealed)} values sealed anew; ${deleted}\n`;
  return { told, troubles };
}

function unopenedSentence(bucket: string, count: number, folder: string): string {
  const what = count === 1 ? '1 value' : `${String(count)} values`;
  return `${what} of ${bucket} cannot be opened with any key in ${folder}: put back that folder's keys from a backup; no key there was deleted`;
}

function removeUnused(folder: StorageFolder, used: ReadonlySet<string>, now: number): number {
  const latest = storageKeyId(now - FOLLOWED_MS);
  const { ids } = folder;
  const unused = ids.filter((id, index) => {
    const next = ids[index + 1];
    return next !== undefined && next <= latest && !used.has(id);
  });
  for (const id of unused) folder.remove(id);
  return unused.length;
}
