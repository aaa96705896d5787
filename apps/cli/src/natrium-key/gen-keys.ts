/**
 * `natrium-key --gen-keys`: the secret of a new identity as a file, for a host that is set up before it first starts: as
 * `minion.key` in its `pki_dir`. No master is asked, and an existing key is never replaced.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, sodiumReady, toHex } from '@natrium/envelope';
import { readOrMakeIdentity, writeWhole } from '@natrium/keystore';
import { messageOf, parseMinionId } from '@natrium/model';
import { EXIT } from '../common/exit-codes.js';
import { UsageError } from '../common/options.js';
import { say } from '../common/refused.js';
import type { Io } from '../ports.js';

const PUBLIC_MODE = 0o644;

export async function genKeys(name: string, folder: string, io: Io): Promise<number> {
  if (parseMinionId(name) === undefined || /[/\\]/.test(name))
    throw new UsageError(`option --gen-keys: no key can be called '${name}'`);
  const [secret, shared] = [join(folder, `${name}.key`), join(folder, `${name}.pub`)];
  const there = [secret, shared].find((path) => existsSync(path));
  if (there !== undefined) {
    say(`${there} is there already; nothing was done.`, io);
    return EXIT.failed;
  }
  await sodiumReady();
  const { publicKey } = made(secret);
  writeWhole(shared, `${toHex(publicKey)}\n`, PUBLIC_MODE);
  io.out(`${secret}\n${shared}\n${name}:  ${fingerprint(publicKey)}\n`);
  return EXIT.ok;
}

function made(path: string) {
  try {
    return readOrMakeIdentity(path).identity;
  } catch (problem) {
    throw new UsageError(`option --gen-keys-dir: ${messageOf(problem)}`);
  }
}
