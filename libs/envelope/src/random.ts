/**
 * Random bytes from `node:crypto`, drawn in pools: one call for each nonce is the dearest part of a message otherwise.
 *
 * A byte is given out once; the pool is wiped where it was read.
 */
import { randomFillSync } from 'node:crypto';

import { allocate } from './bytes.js';

const POOL = 8192;

const pool = new Uint8Array(POOL);
let used = POOL;

export function randomBytes(size: number): Uint8Array {
  if (size > POOL / 8) return randomFillSync(new Uint8Array(size));
  if (used + size > POOL) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = allocate(size);
  bytes.set(pool.subarray(used, used + size));
  pool.fill(0, used, used + size);
  used += size;
  return bytes;
}
