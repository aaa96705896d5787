/**
 * Which keys a swarm has had enrolled: a file in the master's cache folder, written before the first of them is. So those very keys,
 * by id and fingerprint, can be taken away later, and never a real minion's of a like name.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SwarmKey } from '@natrium/client';
import { fingerprint, fromHex } from '@natrium/envelope';
import { writeWhole } from '@natrium/keystore';
import type { KeyPair } from '../ports.js';

const MODE = 0o640;

export class LeftKeys {
  readonly #path: string;

  constructor(cachedir: string, prefix: string) {
    this.#path = join(cachedir, 'swarm', `${prefix}.keys`);
  }

  get all(): readonly KeyPair[] {
    let text;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch {
      return []; // no swarm of this name has been here
    }
    return text.split('\n').flatMap((line) => {
      const [finger = '', id] = line.split(' ');
      return id === undefined ? [] : [{ id, fingerprint: finger }];
    });
  }

  keep(keys: readonly SwarmKey[]): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o750 });
    const lines = keys.map(({ id, identity }) => `${fingerprint(fromHex(identity))} ${id}\n`);
    writeWhole(this.#path, lines.join(''), MODE);
  }

  drop(): void {
    rmSync(this.#path, { force: true });
  }
}
