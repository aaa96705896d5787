/** Where the bus of this host is: the owner's socket, or the one that `event_acl` made for this account. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { loadMasterConfig, loadMinionConfig, problemSentence } from '@natrium/config';
import { err, ok, type Result } from '@natrium/model';
import { accountName } from '../accounts/own-identity.js';

/** The sentence says what is wrong with the configuration. */
export function findBus(configDir: string, node: 'master' | 'minion' = 'master'): Result<string, string> {
  if (node === 'minion') {
    const minion = loadMinionConfig(configDir);
    if (!minion.ok) return err(minion.error.map(problemSentence).join('\n'));
    return ok(join(minion.value.config.sock_dir, 'minion_event.sock'));
  }
  const loaded = loadMasterConfig(configDir);
  if (!loaded.ok) return err(loaded.error.map(problemSentence).join('\n'));
  const { sock_dir } = loaded.value.config;
  const own = join(sock_dir, 'master_event.sock');
  const granted = join(sock_dir, 'events', `${accountName()}.sock`);
  return ok(!mayOpen(own) && mayOpen(granted) ? granted : own);
}

function mayOpen(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
