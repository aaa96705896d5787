/** Where the bus of this host is: the owner's socket, or the one that `event_acl` made for this account or one of its groups. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { loadMinionConfig, problemSentence } from '@natrium/config';
import { err, ok, type Result } from '@natrium/model';
import { loadClientConfig } from '../accounts/client-config.js';
import { accountName } from '../accounts/own-identity.js';

/** The sentence says what is wrong with the configuration. */
export function findBus(configDir: string, node: 'master' | 'minion' = 'master'): Result<string, string> {
  if (node === 'minion') {
    const minion = loadMinionConfig(configDir);
    if (!minion.ok) return err(minion.error.map(problemSentence).join('\n'));
    return ok(join(minion.value.config.sock_dir, 'minion_event.sock'));
  }
  const loaded = loadClientConfig(configDir);
  if (!loaded.ok) return err(loaded.error.map(problemSentence).join('\n'));
  const { sock_dir } = loaded.value.config;
  const own = join(sock_dir, 'master_event.sock');
  return ok(mayOpen(own) ? own : (grantedIn(join(sock_dir, 'events')) ?? own));
}

/** The account's own before those of its groups, which each have rights of their own. */
function grantedIn(folder: string): string | undefined {
  const own = join(folder, `${accountName()}.sock`);
  if (mayOpen(own)) return own;
  return groupNames().map((name) => join(folder, `group-${name}.sock`)).find(mayOpen); // prettier-ignore
}

/** Those of this process, also of a directory; one without a name has no entry in `event_acl`. */
function groupNames(): readonly string[] {
  const { error, stdout } = spawnSync('id', ['-Gn'], { encoding: 'utf8' });
  return error === undefined ? stdout.trim().split(' ') : [];
}

function mayOpen(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
