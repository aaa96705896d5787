/**
 * `natriumctl keys rotate`: storage keys come, and go with the last value under them.
 *
 * Only this deletes keys, and only one that has long been followed by another, so that no service still seals with it.
 * Spec: spec/envelope.md#storage.
 */
import { type NatsTransport, openBucket, resealAll, storedKeyIds } from '@natrium/bus';
import { replicasOf } from '@natrium/config';
import { STORAGE_CLASSES, type StorageClass, type StorageFolder, storageKeyId } from '@natrium/keystore';
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

export function runKeysRotate(options: KeysOptions, io: Io): Promise<number> {
  return withMasterFolder(options.configDir, io, async (folder) => {
    const done = await asRole('keeper', folder.config, (transport) => rotate(folder, transport, options.delayMs));
    if (done === undefined) {
      say(NO_KEEPER, io);
      return EXIT.failed;
    }
    io.out(done);
    return EXIT.ok;
  });
}

async function rotate({ keys, config }: MasterFolder, transport: NatsTransport, delayMs: number): Promise<string> {
  const classes = STORAGE_CLASSES.map((name) => [name, keys.storageKeys(name)] as const);
  const now = Date.now();
  for (const [, folder] of classes) folder.add(now + delayMs);
  let resealed = 0;
  for (const [bucket, of] of LONG_LIVED) {
    const name = `NT_${config.cluster}_${bucket}`;
    const folder = classes.find(([one]) => one === of)?.[1];
    if (folder !== undefined)
      resealed += await resealAll(
        await openBucket(transport, { name, replicas: replicasOf(config), ttlMs: 0 }),
        folder,
      );
  }
  const used = await storedKeyIds(transport, config.cluster);
  const deleted =
    used === undefined
      ? 'no keys deleted: not everything that is stored could be read'
      : `${String(classes.reduce((count, [, folder]) => count + removeUnused(folder, used, now), 0))} keys deleted`;
  return `new keys seal from ${storageKeyId(now + delayMs)} UTC on; ${String(resealed)} values sealed anew; ${deleted}\n`;
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
