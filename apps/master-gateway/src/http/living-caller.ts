/** That a session has ended, at once where that counts before anything else. */
import { BadRequestException } from '@nestjs/common';
import type { Request } from 'express';
import type { NamedCaller } from './call-sequence.js';
import { STRANGERS_BODY } from './guards.js';

/**
 * That a session has ended counts before whatever is wrong with its request: a client that hears 401 logs in again.
 *
 * @param isFirst Whether nothing was sent before, so that it may.
 */
export async function ofLiving<T>(caller: NamedCaller, work: () => T | Promise<T>, isFirst = () => true): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof BadRequestException && isFirst()) await caller.name();
    throw cause;
  }
}

/** Reading YAML takes the gateway's only thread, 0.4 s for a MiB: for as much as that somebody has to be known. */
export async function knownIfLong({ body }: Request, caller: NamedCaller): Promise<void> {
  if (Buffer.isBuffer(body) && body.length > STRANGERS_BODY) await caller.name();
}
