/**
 * Whether the services of this host have the storage keys that seal, where each has a folder of its own beside the master's
 * (docs/operations.md#with-systemd). One that lacks them opens nothing of what is stored since: it knows nobody any more.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MasterConfig } from '@natrium/config';
import { storageKeyId } from '@natrium/keystore';
import { type Finding, fine, problem } from './finding.js';

const ROLES = ['acl', 'gateway', 'runner', 'sink'];
const ENDING = '.key';

/** Keys that do not seal yet may still be on their way. */
export function checkHanded(
  configDir: string,
  { pki_dir: pki }: Pick<MasterConfig, 'pki_dir'>,
  nowMs: number,
): readonly Finding[] {
  // Whoever may not look into such a folder finds none.
  const handed = ROLES.map((role) => ({ role, target: join(`${configDir}-${role}`, 'pki') })).filter(({ target }) =>
    existsSync(join(target, 'storage')),
  );
  const found = handed.flatMap(({ role, target }) => {
    const classes = lacking(join(pki, 'storage'), join(target, 'storage'), storageKeyId(nowMs));
    if (classes.length === 0) return [];
    const what = `${target} lacks storage keys of ${classes.join(', ')} that seal already: what is stored with them its service cannot open`;
    return [problem('handed out', what, `node tools/role-keys.mjs ${pki} ${role} ${target}`)];
  });
  if (handed.length === 0 || found.length > 0) return found;
  return [fine('handed out', 'the folders of the services have all storage keys that seal')];
}

/** Of those classes that were handed out: a service has no others. */
function lacking(from: string, to: string, latest: string): readonly string[] {
  return readdirSync(to)
    .sort()
    .filter((name) => {
      const there = idsIn(join(to, name));
      return idsIn(join(from, name)).some((id) => id <= latest && !there.includes(id));
    });
}

function idsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => (name.endsWith(ENDING) ? [name.slice(0, -ENDING.length)] : []));
}
